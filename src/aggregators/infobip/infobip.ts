import { z } from 'zod';
import type { AggregatorEntry } from '../aggregator.ts';
import { describeWith } from '../description/describe.ts';
import { readField } from '../description/request-fields.ts';
import type { Template } from '../description/template.ts';
import { type Dial, type NetworkCodes, readJsonScreen, type WireRequest } from '../simulated-aggregator.ts';

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

const described = describeWith(
  { name: 'infobip', title: 'Infobip', style: { limit: 182 } },
  settings,
  () => ({
    session: ['path.1'],
    number: ['msisdn'],
    // The IMSI starts with the country code and the network code.
    operator: ['imsi'],
    operatorLength: 5,
    input: ['text'],
    kind: { field: action, first: ['start'], ended: { end: 'ended' }, probe: ['status'] },
    reply: {
      continue: screen(false),
      end: screen(true),
      notice: { responseExitCode: 200, responseMessage: '' },
      probe: {
        alive: { sessionActive: true, responseExitCode: 200 },
        over: { sessionActive: false, responseExitCode: 200 },
      },
    },
  }),
);

/** The first digits of the IMSIs of each network. */
const networkCodes: NetworkCodes<string | undefined> = {
  mtn: '62001',
  telecel: '62002',
  at: '62006',
  glo: '62007',
  unknown: undefined,
};

function send(dial: Dial, action: string, method: 'POST' | 'PUT', value: unknown): WireRequest {
  return {
    method,
    to: `/session/${encodeURIComponent(dial.session)}/${action}`,
    contentType: 'application/json',
    body: JSON.stringify(value),
  };
}

/**
 * Infobip USSD, from a public implementation of an older version: it appends a path to the callback URL, sends end notices
 * with PUT, and asks with GET whether a session is alive. It names no operator; the IMSI, if sent, contains the network.
 */
export const infobip: AggregatorEntry = {
  aggregator: {
    ...described,
    createDialect(options) {
      const { endOnFirst } = settings.parse(options.settings);
      const dialect = described.createDialect(options);
      return {
        ...dialect,
        encode(reply, reading, at) {
          const isFirst = readField(reading.fields, action)?.toLowerCase() === 'start';
          return dialect.encode(isFirst && !endOnFirst ? { ...reply, kind: 'continue' } : reply, reading, at);
        },
      };
    },
  },
  demoCode: '*800*5#',
  /** The path contains the session and the action; the body is JSON with the dialled string, then the last input. */
  simulated: {
    request(dial, typed) {
      const network = networkCodes[dial.operator];
      return send(dial, typed.length === 0 ? 'start' : 'response', 'POST', {
        msisdn: dial.msisdn,
        text: typed.at(-1) ?? dial.dialled,
        shortCode: dial.serviceCode,
        imsi: network === undefined ? null : `${network}${dial.msisdn.slice(-9)}0`,
        language: null,
        optional: null,
        ussdGwId: 'live2',
      });
    },

    endNotice: (dial) => send(dial, 'end', 'PUT', { exitCode: 540, reason: 'aborted' }),

    read: readJsonScreen(
      'ussdMenu',
      'shouldClose',
      [false, true],
      (reply) => reply.responseExitCode === 200 && typeof reply.responseMessage === 'string',
    ),
  },
};
