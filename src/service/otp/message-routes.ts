import { z } from '@hono/zod-openapi';
import { wireMsisdn } from '../../contract/session.ts';
import { parseMsisdn } from '../../shared/msisdn.ts';
import { apiError } from '../api-error.ts';
import { answer } from '../http/answer.ts';
import type { Endpoints } from '../http/endpoint.ts';
import { operation } from '../http/operation.ts';
import { isoTime } from '../http/time.ts';
import { time } from '../session/schemas.ts';
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
  query: z.strictObject({
    msisdn: z.string().max(32).meta({ description: 'In any spelling.', example: '0244123456' }),
  }),
  codes: { msisdn: 'invalid_msisdn' },
  success: {
    status: 200,
    description: 'What the phone has received.',
    schema: z
      .strictObject({
        messages: z.array(
          z.strictObject({
            id: z.string().meta({ description: 'That of the OTP request.', example: 'otpr_01k5n8c0' }),
            to: z.string().meta({ example: '233244123456' }),
            sender: z.string().meta({ example: 'DIALTILL' }),
            text: z.string(),
            sent_at: time,
          }),
        ),
      })
      .meta({ id: 'Messages' }),
  },
});

/** The text messages of the simulated phone. Whoever holds a phone needs no key. */
export function messageRoutes(serve: Endpoints, outbox: SimulatedCarrier): void {
  serve.open(messages, async ({ query: { msisdn } }) => {
    const to = wireMsisdn.safeParse(msisdn).success ? msisdn : parseMsisdn(msisdn);
    if (to === undefined) return apiError('invalid_msisdn', { param: 'msisdn' });
    return answer(200, {
      messages: outbox.messages(to).map(({ sentAt, ...sms }) => ({ ...sms, sent_at: isoTime(sentAt) })),
    });
  });
}
