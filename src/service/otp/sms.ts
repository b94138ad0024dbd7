import { formatCedis } from '../../shared/money.ts';

/** One text message, ready to go out. */
export type Sms = {
  /** Of the OTP request; a carrier may use it to tell a repetition. */
  id: string;
  /** `233XXXXXXXXX`. */
  to: string;
  /** The name that the phone shows. */
  sender: string;
  text: string;
};

/**
 * Carries text messages. `accepted` means that the carrier will deliver it, `refused` that it will not. Whoever
 * throws, or is not done when the signal aborts, leaves it unknown. A message is sent at most once.
 */
export type SmsSender = {
  send(sms: Sms, signal: AbortSignal): Promise<{ kind: 'accepted' } | { kind: 'rejected'; reason: string }>;
};

/** What fits into one message of the GSM alphabet. */
export const maxMessageLength = 160;

/**
 * The message that carries a code: one SMS, whatever the merchant is called. It names whom and how much the code
 * is for, so that a payer who is tricked into reading it out can see so.
 */
export function codeMessage(of: {
  code: string;
  merchantName: string;
  amountMinor: number;
  lifetimeMs: number;
}): string {
  const minutes = Math.max(1, Math.floor(of.lifetimeMs / 60_000));
  const before = `${of.code} is your code to pay ${formatCedis(of.amountMinor)} to `;
  const after = `. Valid for ${minutes} min. Never share it with anyone.`;
  return before + shortName(of.merchantName, maxMessageLength - before.length - after.length) + after;
}

/** Accents fall off and what no handset is sure to show becomes a blank; what is too long is cut. */
function shortName(name: string, length: number): string {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9 &'.,+/()-]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return (plain || 'the merchant').slice(0, length).trim();
}
