import { z } from 'zod';
import { cumulativeForm } from '../africastalking/dialect.ts';
import type { Aggregator } from '../aggregator.ts';
import { createDialect, type Description } from '../description/describe.ts';
import { readField } from '../description/fields.ts';
import type { Template } from '../description/template.ts';
import { readOperator } from '../description/values.ts';

const settings = z.strictObject({
  /**
   * The first screen of a session may close it. Where it may not, a first END is shown as a menu, and whatever the
   * payer then types gets the same text again and is closed.
   */
  endOnFirst: z.boolean('expected true or false').default(false),
});

const screen = (shouldClose: boolean): Template => ({
  shouldClose,
  ussdMenu: '{text}',
  responseExitCode: 200,
  responseMessage: '',
});

/** `session/{id}/{action}` behind the callback URL: the session and what is wanted stand in the path. */
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

/** An IMSI begins with the country and the network that issued the SIM. */
const networkDigits = 5;

/**
 * Infobip USSD, as an older public transport knows it: it puts a path behind the callback URL, PUTs the notice of a
 * session's end, and GETs whether a session is alive. It names no operator; the SIM's number does, where it comes.
 */
export const aggregator: Aggregator = {
  name: 'infobip',
  title: 'Infobip',
  method: 'POST',
  style: { alphabet: 'gsm', limit: 182, lineBreak: '\n', forbidden: '' },
  replyWithinMs: 4_000,
  sequenced: false,
  promptDelayMs: 0,
  settings,
  createDialect(line) {
    const { endOnFirst } = settings.parse(line.settings);
    const dialect = createDialect(description, line);
    const networks = new Map([...Object.entries(cumulativeForm.operators ?? {}), ...line.operators]);
    return {
      decode(raw) {
        const reading = dialect.decode(raw);
        if (reading.kind !== 'request') return reading;
        const operator = readOperator(readField(reading.fields, ['imsi'])?.slice(0, networkDigits), networks);
        return { ...reading, request: { ...reading.request, operator } };
      },
      encode(reply, reading, at) {
        const first = readField(reading.fields, action)?.toLowerCase() === 'start';
        return dialect.encode(first && !endOnFirst ? { ...reply, kind: 'continue' } : reply, reading, at);
      },
    };
  },
};
