import { z } from '@hono/zod-openapi';
import { wireMsisdn } from '../../contract/session.ts';
import { parseMsisdn } from '../../shared/msisdn.ts';
import { apiError, isApiError } from '../api-error.ts';
import { answer } from '../http/answer.ts';
import type { Endpoints } from '../http/endpoint.ts';
import { idParam, noFields, operation } from '../http/operation.ts';
import { isoTime } from '../http/time.ts';
import { time } from '../session/schemas.ts';
import { magicNumbers } from './magic-numbers.ts';
import type { SimulatedPhone } from './simulated-phone.ts';

const tag = 'Simulated phone';
const params = idParam('The prompt.', 'prm_01k5n8c0');

const pending = operation({
  method: 'get',
  path: '/handset/prompts',
  id: 'listPrompts',
  tag,
  summary: 'Look at the phone',
  description: 'The pending prompts of a number, 20 at most. Test sessions only.',
  access: 'open',
  query: z.strictObject({
    msisdn: z.string().max(32).meta({ description: 'In any spelling.', example: '0244123456' }),
  }),
  codes: { msisdn: 'invalid_msisdn' },
  success: {
    status: 200,
    description: 'What the phone shows.',
    schema: z
      .strictObject({
        prompts: z.array(
          z.strictObject({
            id: z.string(),
            session_id: z.string(),
            amount_minor: z.int(),
            merchant_name: z.string(),
            expires_at: time,
            magic: z
              .enum(magicNumbers.map(({ name }) => name))
              .optional()
              .meta({ description: 'Present where the prompt ends by itself: what its number stands for.' }),
          }),
        ),
      })
      .meta({ id: 'Prompts' }),
  },
});

const answered = z
  .strictObject({ id: z.string(), status: z.enum(['approved', 'declined']) })
  .meta({ id: 'PromptAnswered' });

const approve = operation({
  method: 'post',
  path: '/handset/prompts/{id}/approve',
  id: 'approvePrompt',
  tag,
  summary: 'Approve with the PIN',
  description: 'Any four digits are right, except 0000.',
  access: 'open',
  params,
  body: z.strictObject({ pin: z.string() }).meta({ id: 'Approval' }),
  examples: { right: { pin: '1234' }, wrong: { pin: '0000' } },
  codes: { pin: 'invalid_pin' },
  success: { status: 200, description: 'The payer has paid.', schema: answered },
  errors: ['prompt_not_found', 'prompt_closed', 'prompt_automatic', 'wrong_pin', 'pin_limit_reached'],
});

const decline = operation({
  method: 'post',
  path: '/handset/prompts/{id}/decline',
  id: 'declinePrompt',
  tag,
  summary: 'Decline',
  access: 'open',
  params,
  body: noFields,
  success: { status: 200, description: 'The payer has declined.', schema: answered },
  errors: ['prompt_not_found', 'prompt_closed', 'prompt_automatic'],
});

/** The simulated phone over HTTP, for test sessions. Whoever holds a phone needs no key. */
export function phoneRoutes(serve: Endpoints, handset: SimulatedPhone): void {
  serve.open(pending, async ({ query: { msisdn } }) => {
    const payer = wireMsisdn.safeParse(msisdn).success ? msisdn : parseMsisdn(msisdn);
    if (payer === undefined) return apiError('invalid_msisdn', { param: 'msisdn' });
    const prompts = (await handset.pending(payer)).map((prompt) => ({
      id: prompt.id,
      session_id: prompt.sessionId,
      amount_minor: prompt.amountMinor,
      merchant_name: prompt.merchantName,
      expires_at: isoTime(prompt.expiresAt),
      ...(prompt.magic === null ? {} : { magic: prompt.magic }),
    }));
    return answer(200, { prompts });
  });

  serve.open(approve, async ({ params: { id }, body: { pin } }) => {
    const done = await handset.approve(id, pin);
    return isApiError(done) ? done : answer(200, { id, status: done.kind });
  });

  serve.open(decline, async ({ params: { id } }) => {
    const done = await handset.decline(id);
    return isApiError(done) ? done : answer(200, { id, status: done.kind });
  });
}
