import { longestMerchant, type ProvenChannel } from '../../src/menu/prove/channel.ts';
import type { Circumstances } from '../../src/menu/prove/prove.ts';
import { proveText } from '../../src/menu/prove/prove-text.ts';

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
  merchant: longestMerchant,
};
const circumstances: Circumstances = { channels: [nalo], approvals, maxHops: 8 };

export function prove(text: string, around: Partial<Circumstances> = {}) {
  return proveText(text, 'menu.yaml', () => ({ ...circumstances, ...around }));
}

/** Line, screen, language, kind and message of every finding. */
export function told(text: string, around: Partial<Circumstances> = {}): string[] {
  return prove(text, around).findings.map(
    ({ line, screen = '', language = '', kind, message }) =>
      `${line} ${screen} ${language} ${kind}: ${message}`,
  );
}
