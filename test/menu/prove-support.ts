import { maxMerchant, type ProvenChannel } from '../../src/menu/prove/channel.ts';
import { type ProofSettings, proveText } from '../../src/menu/prove/prove.ts';

export const approvals = {
  mtn: 'Dial *170#, Wallet, My Approvals',
  telecel: 'Dial *110#, approvals',
  at: 'Dial *110#, approvals',
  glo: 'Open your mobile money approvals',
  unknown: 'Open your mobile money approvals',
};

export const nalo: ProvenChannel = {
  name: 'nalo',
  limit: 120,
  alphabet: 'gsm',
  sequenced: false,
  merchant: maxMerchant,
};
const settings: ProofSettings = { channels: [nalo], approvals, maxInputs: 8 };

export function prove(text: string, overrides: Partial<ProofSettings> = {}) {
  return proveText(text, 'menu.yaml', () => ({ ...settings, ...overrides }));
}

/** Returns the line, screen, language, kind and message of every finding. */
export function findingsOf(text: string, overrides: Partial<ProofSettings> = {}): string[] {
  return prove(text, overrides).findings.map(
    ({ line, screen = '', language = '', kind, message }) =>
      `${line} ${screen} ${language} ${kind}: ${message}`,
  );
}
