import type { AggregatorEntry } from '../aggregator.ts';
import { describe } from '../description/describe.ts';
import { createJsonPost, networkNames, readJsonScreen } from '../simulated-aggregator.ts';

/** Returns the time of a request: one second after the previous one, so that equal calls result in equal bytes. */
const timestamp = (requests: number) => new Date(Date.UTC(2026, 2, 6, 9, 0, requests)).toISOString();

/**
 * Sendexa: JSON with `type` new or continue. The first `input` is null, so a dialled suffix can only be part of the service
 * code (not confirmed). The summary of a finished session is accepted too, although it has a URL of its own.
 */
export const sendexa: AggregatorEntry = {
  aggregator: describe(
    {
      name: 'sendexa',
      title: 'Sendexa',
      // The document requires less than 160 characters.
      style: { limit: 159 },
    },
    {
      session: ['sessionId', 'data.sessionId'],
      number: ['phone'],
      operator: ['network'],
      input: ['input'],
      dialled: ['input', 'serviceCode'],
      kind: {
        field: ['type', 'event'],
        first: ['new'],
        // Only the summary is documented.
        ended: { 'ussd.session.completed': 'ended', end: 'ended', timeout: 'timeout', cancel: 'cancelled' },
      },
      reply: {
        continue: { message: '{text}', shouldClose: false },
        end: { message: '{text}', shouldClose: true },
      },
    },
  ),
  demoCode: '*123*5#',
  /** Requests are JSON without an input at first, with the dialled string as the service code; `shouldClose` of the reply ends the session. */
  simulated: {
    request: (dial, typed) =>
      createJsonPost({
        sessionId: dial.session,
        phone: dial.msisdn,
        network: networkNames[dial.operator],
        serviceCode: dial.dialled,
        type: typed.length === 0 ? 'new' : 'continue',
        input: typed.at(-1) ?? null,
        timestamp: timestamp(typed.length),
      }),

    endNotice: (dial, typed) =>
      createJsonPost({
        event: 'ussd.session.completed',
        timestamp: timestamp(typed.length + 1),
        data: {
          sessionId: dial.session,
          phone: dial.msisdn,
          network: networkNames[dial.operator],
          duration: typed.length + 1,
          totalSteps: typed.length + 1,
          status: 'success',
        },
      }),

    read: readJsonScreen('message', 'shouldClose', [false, true]),
  },
};
