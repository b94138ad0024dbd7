import { z } from 'zod';
import type { Aggregator } from '../aggregator.ts';
import { type Description, describeWith } from '../description/describe.ts';

/** What both versions leave open. */
export const wigalSettings = {
  /** A traffic id is new on every request, so that an equal one marks a repeat; false where it stays for a session. */
  trafficIdPerRequest: z.boolean({ error: 'expected true or false' }).default(true),
};

/** What requests of both versions have in common. */
export function wigalRequest(trafficIdPerRequest: boolean): Omit<Description, 'number' | 'reply'> {
  return {
    session: ['sessionid'],
    operator: ['network'],
    input: ['userdata'],
    kind: { field: ['mode'], first: ['START'], ended: { END: 'ended' } },
    ...(trafficIdPerRequest ? { mark: ['trafficid'] } : {}),
    // The payment side asks for no OTP when it is told this one and the session is closed.
    ussdRef: ['trafficid'],
  };
}

const line = (mode: string) => `{network}|${mode}|{msisdn}|{sessionid}|{text}|{username}|{trafficid}`;

/**
 * Wigal Smart USSD, version 1: GET with all fields in the query, answered by one line of text with seven fields
 * between pipes, in which `^` stands for a line break.
 */
export const aggregator: Aggregator = describeWith(
  {
    name: 'wigal-v1',
    title: 'Wigal Smart USSD v1',
    method: 'GET',
    style: { alphabet: 'gsm', limit: 160, lineBreak: '^', forbidden: '$<&|^' },
    replyWithinMs: 4_000,
    // A repeat may bring a traffic id of its own.
    sequenced: false,
    promptDelayMs: 3_000,
  },
  z.strictObject(wigalSettings),
  ({ trafficIdPerRequest }) => ({
    ...wigalRequest(trafficIdPerRequest),
    number: ['msisdn'],
    reply: { contentType: 'text/plain; charset=utf-8', continue: line('MORE'), end: line('END') },
  }),
);
