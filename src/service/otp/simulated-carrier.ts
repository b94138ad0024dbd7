import type { Clock, EpochMs } from '../../shared/clock.ts';
import type { Sms, SmsSender } from './sms.ts';

/** Messages that are remembered; the oldest is forgotten first. */
const maxMessages = 1_000;

const shown = 20;

export type SentSms = Sms & { sentAt: EpochMs };

/** Where the messages of test mode end: in memory, for the demo and for tests to read. */
export type SimulatedCarrier = SmsSender & {
  /** The newest 20 messages to this number (`233XXXXXXXXX`), newest first. */
  messages(to: string): SentSms[];
};

/** A carrier of SMS that carries nothing: it keeps the newest 1,000 messages until the process ends. */
export function createSimulatedCarrier(clock: Clock): SimulatedCarrier {
  const sent: SentSms[] = [];
  return {
    async send(sms) {
      sent.unshift({ ...sms, sentAt: clock.now() });
      sent.length = Math.min(sent.length, maxMessages);
      return { kind: 'accepted' };
    },
    messages: (to) => sent.filter((sms) => sms.to === to).slice(0, shown),
  };
}
