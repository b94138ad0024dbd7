import { z } from 'zod';
import type { Aggregator } from '../aggregator.ts';
import { describeWith } from '../description/describe.ts';
import { wigalRequest, wigalSettings } from '../wigal-v1/dialect.ts';

const settings = z.strictObject({
  ...wigalSettings,
  /** The spelling of the mode in replies: `MORE` and `END`, or `more` and `end`. */
  modeCase: z.enum(['upper', 'lower'], { error: 'expected upper or lower' }).default('upper'),
});

/**
 * Wigal Smart USSD, version 2: the fields of version 1 as JSON. The reply is the same object with another `mode` and with
 * the screen in `userdata`.
 */
export const aggregator: Aggregator = describeWith(
  {
    name: 'wigal-v2',
    title: 'Wigal Smart USSD v2',
    method: 'POST',
    style: { alphabet: 'gsm', limit: 160, lineBreak: '\n', forbidden: "$<&|^'" },
    replyWithinMs: 4_000,
    sequenced: false,
    promptDelayMs: 5_000,
  },
  settings,
  ({ trafficIdPerRequest, modeCase }) => {
    const [more, end] = modeCase === 'upper' ? ['MORE', 'END'] : ['more', 'end'];
    return {
      ...wigalRequest(trafficIdPerRequest),
      // The document uses the first name, the official sample the second.
      number: ['msisdn', 'phonenumber'],
      reply: {
        contentType: 'application/json; charset=UTF-8',
        echo: true,
        continue: { mode: more, userdata: '{text}' },
        end: { mode: end, userdata: '{text}' },
      },
    };
  },
);
