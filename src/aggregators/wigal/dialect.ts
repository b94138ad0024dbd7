import { z } from 'zod';
import type { Aggregator } from '../aggregator.ts';
import { describeWith } from '../description/describe.ts';
import type { Description } from '../description/description.ts';

/** The settings of both versions. */
const wigalSettings = {
  /** True if each request has a new traffic id, so that an equal id marks a repeat. False if a session keeps one id. */
  trafficIdPerRequest: z.boolean({ error: 'expected true or false' }).default(true),
};

/** Returns the common part of the requests of both versions. */
function wigalRequest(trafficIdPerRequest: boolean): Omit<Description, 'number' | 'reply'> {
  return {
    session: ['sessionid'],
    operator: ['network'],
    input: ['userdata'],
    kind: { field: ['mode'], first: ['START'], ended: { END: 'ended' } },
    ...(trafficIdPerRequest ? { mark: ['trafficid'] } : {}),
    // Wigal's payment interface skips the OTP for the traffic id of a closed session.
    ussdRef: ['trafficid'],
  };
}

const replyLine = (mode: string) => `{network}|${mode}|{msisdn}|{sessionid}|{text}|{username}|{trafficid}`;

/**
 * Wigal Smart USSD, version 1: GET with all fields in the query. The reply is one line of text with seven fields between
 * pipes; `^` is the line break.
 */
export const wigalV1: Aggregator = describeWith(
  {
    name: 'wigal-v1',
    title: 'Wigal Smart USSD v1',
    method: 'GET',
    style: { alphabet: 'gsm', limit: 160, lineBreak: '^', forbidden: '$<&|^' },
    replyWithinMs: 4_000,
    // A repeat can have a new traffic id.
    sequenced: false,
    promptDelayMs: 3_000,
  },
  z.strictObject(wigalSettings),
  ({ trafficIdPerRequest }) => ({
    ...wigalRequest(trafficIdPerRequest),
    number: ['msisdn'],
    reply: { contentType: 'text/plain; charset=utf-8', continue: replyLine('MORE'), end: replyLine('END') },
  }),
);

const settings = z.strictObject({
  ...wigalSettings,
  /** The spelling of the mode in replies: `MORE` and `END`, or `more` and `end`. */
  modeCase: z.enum(['upper', 'lower'], { error: 'expected upper or lower' }).default('upper'),
});

/**
 * Wigal Smart USSD, version 2: the fields of version 1 as JSON. The reply is the same object with another `mode` and with
 * the screen in `userdata`.
 */
export const wigalV2: Aggregator = describeWith(
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
