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
    'The newest messages to a number, newest first, 20 at most: here are the codes of test mode. They are kept in ' +
    'memory, and gone when the service restarts. Live messages are never here.',
  access: 'open',
  query: phoneQuery,
  fieldErrors: { msisdn: 'invalid_msisdn' },
  success: {
    status: 200,
    description: 'What the phone has received.',
    schema: smsList,
  },
});

/** The text messages of the simulated phone. Whoever holds a phone needs no key. */
export function messageRoutes(router: Router, outbox: SimulatedCarrier): void {
  router.open(messages, async ({ query: { msisdn } }) => {
    const to = readMsisdn(msisdn);
    if (to === undefined) return apiError('invalid_msisdn', { param: 'msisdn' });
    return jsonResponse(200, {
      messages: outbox.messages(to).map(({ sentAt, ...sms }) => ({ ...sms, sent_at: isoTime(sentAt) })),
    });
  });
}
