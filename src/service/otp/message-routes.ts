import { smsList } from '../../contract/simulated-phone.ts';
import { apiError } from '../api-error.ts';
import { operation } from '../http/operation.ts';
import { phoneQuery, readMsisdn } from '../http/phone-query.ts';
import { jsonResponse } from '../http/response.ts';
import type { Router } from '../http/router.ts';
import { isoTime } from '../http/time.ts';
import type { SimulatedCarrier } from './simulated-carrier.ts';

const messages = operation({
  method: 'get',
  path: '/handset/messages',
  id: 'listMessages',
  tag: 'Simulated phone',
  summary: 'Read the text messages',
  description:
    'Returns the newest 20 messages to a number, newest first. They contain the codes of test mode. Messages are held ' +
    'in memory and are lost when the service restarts. Live messages are not listed.',
  access: 'open',
  query: phoneQuery,
  fieldErrors: { msisdn: 'invalid_msisdn' },
  success: {
    status: 200,
    description: 'The messages on the phone.',
    schema: smsList,
  },
  errors: ['not_found'],
});

/** Serves the text messages of the simulated phone. A phone needs no API key. */
export function messageRoutes(router: Router, carrier: SimulatedCarrier): void {
  router.open(messages, async ({ query: { msisdn } }) => {
    const to = readMsisdn(msisdn);
    if (to === undefined) return apiError('invalid_msisdn', { param: 'msisdn' });
    return jsonResponse(200, {
      messages: carrier.messages(to).map(({ sentAt, ...sms }) => ({ ...sms, sent_at: isoTime(sentAt) })),
    });
  });
}
