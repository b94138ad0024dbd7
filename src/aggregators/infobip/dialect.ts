import { z } from 'zod';
import type { Aggregator } from '../aggregator.ts';
import { createDialect } from '../description/describe.ts';
import type { Description } from '../description/description.ts';
import { readField } from '../description/fields.ts';
import type { Template } from '../description/template.ts';
import { readOperator } from '../description/values.ts';

const settings = z.strictObject({
  /**
   * True when the first screen can close the session. If not, an end screen is sent as a menu; any further input gets the
   * same text, and the session is closed.
   */
  endOnFirst: z.boolean('expected true or false').default(false),
});

const screen = (shouldClose: boolean): Template => ({
  shouldClose,
  ussdMenu: '{text}',
  responseExitCode: 200,
  responseMessage: '',
});

/** The path after the callback URL is `session/{id}/{action}`. */
const action = ['path.2'];

const description: Description = {
  session: ['path.1'],
  number: ['msisdn'],
  input: ['text'],
  kind: { field: action, first: ['start'], ended: { end: 'ended' }, probe: ['status'] },
  reply: {
    contentType: 'application/json',
    continue: screen(false),
    end: screen(true),
    notice: { responseExitCode: 200, responseMessage: '' },
    probe: {
      alive: { sessionActive: true, responseExitCode: 200 },
      over: { sessionActive: false, responseExitCode: 200 },
    },
  },
};

/** The length of the country code and the network code at the start of an IMSI. */
const networkDigits = 5;

/**
 * Infobip USSD, from a public implementation of an older version: it appends a path to the callback URL, sends end notices
 * with PUT, and asks with GET whether a session is alive. It names no operator; the IMSI, if sent, contains the network.
 */
export const infobip: Aggregator = {
  name: 'infobip',
  title: 'Infobip',
  method: 'POST',
  style: { alphabet: 'gsm', limit: 182, lineBreak: '\n', forbidden: '' },
  replyWithinMs: 4_000,
  sequenced: false,
  promptDelayMs: 0,
  settings,
  createDialect(options) {
    const { endOnFirst } = settings.parse(options.settings);
    const dialect = createDialect(description, options);
    return {
      decode(raw) {
        const reading = dialect.decode(raw);
        if (reading.kind !== 'request') return reading;
        const code = readField(reading.fields, ['imsi'])?.slice(0, networkDigits);
        return { ...reading, request: { ...reading.request, ...readOperator(code, options.operators) } };
      },
      encode(reply, reading, at) {
        const isFirst = readField(reading.fields, action)?.toLowerCase() === 'start';
        return dialect.encode(isFirst && !endOnFirst ? { ...reply, kind: 'continue' } : reply, reading, at);
      },
    };
  },
};
