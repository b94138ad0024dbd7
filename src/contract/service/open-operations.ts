import { z } from 'zod';
import { pageQuery, pageSchema, time } from './field.ts';
import { magicNames } from './magic-numbers.ts';
import { idParam, noFields, operation } from './operation.ts';

/* The simulated phone of test sessions, as the service returns it. */

const pendingPrompt = z
  .object({
    id: z.string(),
    session_id: z.string(),
    amount_minor: z.int(),
    merchant_name: z.string(),
    expires_at: time,
    magic: z
      .enum(magicNames)
      .optional()
      .meta({ description: 'Present if the prompt ends without a person: the name of the magic number.' }),
  })
  .meta({ id: 'PendingPrompt' });
export const pendingPromptPage = pageSchema(pendingPrompt).meta({ id: 'PendingPromptPage' });

export const promptDecision = z
  .object({ id: z.string(), status: z.enum(['approved', 'declined']) })
  .meta({ id: 'AnsweredPrompt' });

const sms = z
  .object({
    id: z.string().meta({ description: 'The id of the OTP request.', example: 'otpr_01k5n8c0' }),
    to: z.string().meta({ example: '233244123456' }),
    sender: z.string().meta({ example: 'DIALTILL' }),
    text: z.string(),
    sent_at: time,
  })
  .meta({ id: 'TextMessage' });
const smsPage = pageSchema(sms).meta({ id: 'TextMessagePage' });

const params = idParam('The prompt.', 'prm_01k5n8c0');

/** The query of a list of the simulated phone. */
const query = z.strictObject({
  msisdn: z.string().max(32).meta({ description: 'In any spelling.', example: '0244123456' }),
  ...pageQuery,
});

export const promptOperations = {
  listPrompts: operation('get /handset/prompts', 'Simulated phone', {
    summary: 'List the prompts on the phone, newest first',
    description:
      'Returns the pending prompts of a number. Test sessions only. A service with live keys answers 404 to all ' +
      'calls of the simulated phone.',
    query,
    fieldErrors: { msisdn: 'invalid_msisdn' },
    success: { description: 'A page of pending prompts.', schema: pendingPromptPage },
    errors: ['not_found'],
  }),
  approvePrompt: operation('post /handset/prompts/{id}/approve', 'Simulated phone', {
    summary: 'Approve with the PIN',
    description: 'Any PIN of four digits is right, except 0000.',
    params,
    body: z.strictObject({ pin: z.string() }).meta({ id: 'PromptApproval' }),
    examples: { right: { pin: '1234' }, wrong: { pin: '0000' } },
    fieldErrors: { pin: 'invalid_pin' },
    success: { description: 'The payer has approved the prompt.', schema: promptDecision },
    errors: [
      'not_found',
      'prompt_not_found',
      'prompt_closed',
      'prompt_automatic',
      'wrong_pin',
      'pin_limit_reached',
    ],
  }),
  declinePrompt: operation('post /handset/prompts/{id}/decline', 'Simulated phone', {
    summary: 'Decline the prompt',
    description: 'The session fails with the reason `declined`.',
    params,
    body: noFields,
    success: { description: 'The payer has declined the prompt.', schema: promptDecision },
    errors: ['not_found', 'prompt_not_found', 'prompt_closed', 'prompt_automatic'],
  }),
};

export const messageOperations = {
  listMessages: operation('get /handset/messages', 'Simulated phone', {
    summary: 'Read the text messages, newest first',
    description:
      'The messages to a number contain the codes of test mode. The newest 1,000 of all numbers stay in memory until the ' +
      'service restarts. Live messages are not listed.',
    query,
    fieldErrors: { msisdn: 'invalid_msisdn' },
    success: { description: 'A page of messages.', schema: smsPage },
    errors: ['not_found'],
  }),
};

export const healthOperations = {
  getHealth: operation('get /healthz', 'Service', {
    summary: 'Check the health of the service',
    description: 'Returns 200 if the service can use its database.',
    success: {
      description: 'The service is healthy.',
      schema: z.object({ status: z.literal('ok') }).meta({ id: 'Health' }),
    },
  }),
  getOpenapi: operation('get /openapi.json', 'Service', {
    summary: 'Get the OpenAPI 3.1 document of this API',
    description: 'Describes every operation, error and event of this service.',
    success: {
      description: 'The document.',
      schema: z.looseObject({ openapi: z.string() }).meta({ id: 'OpenapiDocument' }),
      example: { openapi: '3.1.0' },
    },
    others: { 304: 'The client has the document of its `if-none-match`.' },
  }),
};
