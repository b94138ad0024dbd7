import { z } from '@hono/zod-openapi';
import { wireMsisdn } from '../../contract/session.ts';
import { maxAmountMinor } from '../../shared/money.ts';
import { time } from '../session/schemas.ts';

const otpRequestId = z.string().max(128).meta({ description: 'Prefix `otpr_`.', example: 'otpr_01k5n8c0' });

export const otpAsked = z
  .strictObject({
    msisdn: wireMsisdn.meta({ description: "The payer's number, `233XXXXXXXXX`.", example: '233244123456' }),
    purpose: z.literal('collection'),
    collection: z.strictObject({
      amount_minor: z
        .int()
        .min(1)
        .max(maxAmountMinor)
        .meta({ description: 'What the session will be created with, in pesewas.', example: 2000 }),
    }),
    sender_id: z.string().max(64).optional().meta({
      description: "An approved sender of the merchant, for a merchant's own UI.",
      example: 'ABENA',
    }),
  })
  .meta({ id: 'OtpRequest' });
export type OtpAsked = z.infer<typeof otpAsked>;

export const otpRequested = z
  .strictObject({ otp_request_id: otpRequestId, expires_at: time })
  .meta({ id: 'OtpRequested' });

export const typedCode = z
  .strictObject({
    otp_request_id: otpRequestId,
    code: z
      .string()
      .regex(/^\d{1,16}$/)
      .meta({ description: 'The digits that the payer typed.', example: '048213' }),
  })
  .meta({ id: 'OtpVerification' });
export type TypedCode = z.infer<typeof typedCode>;

export const otpVerified = z
  .strictObject({ verified: z.boolean().meta({ description: 'false: the code is wrong. It was counted.' }) })
  .meta({ id: 'OtpVerified' });
