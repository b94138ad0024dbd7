import type { AggregatorEntry } from '../aggregator.ts';
import { describe } from '../description/describe.ts';
import { createJsonPost, readJsonAnswer, readScreen } from '../simulated-aggregator.ts';

/** Returns a reply. `continueFlag` is 0 to continue and 1 to end. */
const reply = (continueFlag: 0 | 1) => ({
  msisdn: '{msisdn}',
  sequenceID: '{sequenceID}',
  message: '{text}',
  timestamp: '{timestamp}',
  continueFlag,
});

/** Returns the time of a request: one second after the previous one, so that equal calls result in equal bytes. */
const timestamp = (requests: number) => new Date(Date.UTC(2026, 2, 6, 9, 0, requests)).toISOString();

/**
 * mNotify: no field marks the first request, so the service code in `data`, or an empty `data`, opens a session. The session id is
 * unique only together with the number. Requests of a dedicated code have other names; their reply is not documented.
 */
export const mnotify: AggregatorEntry = {
  aggregator: describe(
    { name: 'mnotify', title: 'mNotify', style: { lineBreak: '\r\n' } },
    {
      session: ['sequenceID', 'sessId'],
      number: ['msisdn'],
      input: ['data', 'text'],
      reply: { continue: reply(0), end: reply(1) },
    },
  ),
  demoCode: '*899*5#',
  /** Requests are JSON with the dialled string, then the last input, and without a network; lines of a reply end with CR LF. */
  simulated: {
    request: (dial, typed) =>
      createJsonPost({
        msisdn: dial.msisdn,
        sequenceID: dial.session,
        data: typed.at(-1) ?? dial.dialled,
        timestamp: timestamp(typed.length),
      }),

    read(contentType, body, dial) {
      const reply = readJsonAnswer(contentType, body);
      const { msisdn, sequenceID, message, continueFlag } = reply ?? {};
      if (msisdn !== dial.msisdn || sequenceID !== dial.session || typeof reply?.timestamp !== 'string') {
        return undefined;
      }
      const screen = readScreen(message, continueFlag, 0, 1);
      return screen && { ...screen, text: screen.text.replaceAll('\r\n', '\n') };
    },
  },
};
