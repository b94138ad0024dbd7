import type { Clock, EpochMs } from '../../shared/clock.ts';
import type { Sms, SmsSender } from './sms.ts';

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
