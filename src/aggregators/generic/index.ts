import type { AggregatorEntry } from '../entry.ts';
import { aggregator } from './dialect.ts';
import { simulated } from './simulated.ts';

/** An invented aggregator, described as a merchant would describe a real one. */
const voltaGate = {
  request: {
    session: 'dialog',
    number: 'subscriber.number',
    operator: 'subscriber.carrier',
    operators: { M: 'mtn', T: 'telecel', A: 'at', G: 'glo' },
    input: 'keyed',
    first: { field: 'event', is: 'OPEN' },
    ended: { field: 'event', is: { HANGUP: 'cancelled', EXPIRED: 'timeout' } },
  },
  reply: {
    continue: { dialog: '{dialog}', screen: { text: '{text}', wait: true } },
    end: { dialog: '{dialog}', screen: { text: '{text}', wait: false } },
    notice: { dialog: '{dialog}' },
  },
};

export const generic: AggregatorEntry = {
  aggregator,
  simulated,
  demoCode: '*700*5#',
  demoSettings: voltaGate,
};
