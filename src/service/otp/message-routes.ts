import { pageQuery } from '../../contract/page.ts';
import { smsPage } from '../../contract/simulated-phone.ts';
import { apiError } from '../api-error.ts';
import { operation } from '../http/operation.ts';
import { defaultPageSize, toPage } from '../http/page.ts';
import { phoneQuery, readMsisdn } from '../http/phone-query.ts';
import { jsonResponse } from '../http/response.ts';
import type { Router } from '../http/router.ts';
import { isoTime } from '../http/time.ts';
import type { SentSms, SimulatedCarrier } from './simulated-carrier.ts';

const messages = operation({
  method: 'get',
  path: '/handset/messages',
  id: 'listMessages',
  tag: 'Simulated phone',
  summary: 'Read the text messages, newest first',
  description:
    'The messages to a number contain the codes of test mode. The newest 1,000 of all numbers stay in memory until the ' +
    'service restarts. Live messages are not listed.',
  access: 'open',
  query: phoneQuery.extend(pageQuery),
  fieldErrors: { msisdn: 'invalid_msisdn' },
  success: {
    status: 200,
    description: 'A page of messages.',
    schema: smsPage,
  },
  errors: ['not_found'],
});

/** Serves the text messages of the simulated phone. A phone needs no API key. */
export function messageRoutes(router: Router, carrier: SimulatedCarrier): void {
  router.open(messages, async ({ query: { msisdn, limit = defaultPageSize, cursor } }) => {
    const to = readMsisdn(msisdn);
    if (to === undefined) return apiError('invalid_msisdn', { param: 'msisdn' });
    const older = carrier.messages(to).filter(({ id }) => cursor === undefined || id < cursor);
    const view = ({ sentAt, ...sms }: SentSms) => ({ ...sms, sent_at: isoTime(sentAt) });
    return jsonResponse(200, toPage(older, limit, view));
  });
}
