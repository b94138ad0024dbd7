import { z } from 'zod';
import { pageSchema, time } from './field.ts';
import { magicNames } from './magic-numbers.ts';

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
export const smsPage = pageSchema(sms).meta({ id: 'TextMessagePage' });
