import type { Clock, EpochMs } from '../../shared/clock.ts';
import { formatCedis } from '../../shared/money.ts';

/** One text message, ready to go out. */
export type Sms = {
  /** The identifier of the OTP request. A carrier may use it to detect a repetition. */
  id: string;
  /** `233XXXXXXXXX`. */
  to: string;
  /** The name that the phone shows as the sender. */
  sender: string;
  text: string;
};

/**
 * Carries text messages. `accepted` means that the carrier will deliver the message, `rejected` that it will not. The
 * outcome is unknown when `send` throws or does not settle before `signal` aborts. No message is sent twice.
 */
export type SmsSender = {
  send(sms: Sms, signal: AbortSignal): Promise<{ kind: 'accepted' } | { kind: 'rejected'; reason: string }>;
};

/** Characters of the GSM alphabet in one SMS. */
export const maxMessageLength = 160;

/** Returns the message for a code, in one SMS. It names the merchant and the amount, so that a payer can recognise a fraud. */
export function codeMessage(details: {
  code: string;
  merchantName: string;
  amountMinor: number;
  lifetimeMs: number;
}): string {
  const minutes = Math.max(1, Math.floor(details.lifetimeMs / 60_000));
  const before = `${details.code} is your code to pay ${formatCedis(details.amountMinor)} to `;
  const after = `. Valid for ${minutes} min. Never share it with anyone.`;
  return before + shortName(details.merchantName, maxMessageLength - before.length - after.length) + after;
}

/** Removes accents, replaces other characters outside basic ASCII by spaces, and truncates the name. */
function shortName(name: string, length: number): string {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9 &'.,+/()-]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return (plain || 'the merchant').slice(0, length).trim();
}

/** Messages in memory; the oldest is deleted first. */
const maxMessages = 1_000;

export type SentSms = Sms & { sentAt: EpochMs };

/** A carrier that delivers no message, for test mode. The demo and tests read the codes from it. */
export type SimulatedCarrier = SmsSender & {
  /** Returns the messages to a number (`233XXXXXXXXX`), newest first. */
  messages(to: string): SentSms[];
};

/** Creates a simulated carrier that holds the newest 1,000 messages in memory. */
export function createSimulatedCarrier(clock: Clock): SimulatedCarrier {
  const sent: SentSms[] = [];
  return {
    async send(sms) {
      sent.unshift({ ...sms, sentAt: clock.now() });
      sent.length = Math.min(sent.length, maxMessages);
      return { kind: 'accepted' };
    },
    // By id, which ascends with time: messages of one number are sent in parallel, and the id is the cursor.
    messages: (to) => sent.filter((sms) => sms.to === to).sort((one, other) => (one.id < other.id ? 1 : -1)),
  };
}
