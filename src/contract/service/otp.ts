import { z } from 'zod';
import { chargeMinor, msisdn, time } from './field.ts';

/* One-time codes, as the service accepts and returns them. */

const otpRequestId = z.string().max(128).meta({ description: 'Prefix `otpr_`.', example: 'otpr_01k5n8c0' });

export const otpRequest = z
  .strictObject({
    msisdn: msisdn.meta({ description: "The payer's number, `233XXXXXXXXX`.", example: '233244123456' }),
    purpose: z.literal('collection'),
    collection: z.strictObject({
      amount_minor: chargeMinor.meta({
        description: 'The amount of the session that will use the request, in pesewas.',
        example: 2000,
      }),
    }),
    sender_id: z.string().max(64).optional().meta({
      description: 'An approved sender name of the merchant.',
      example: 'ABENA',
    }),
  })
  .meta({ id: 'OtpRequest' });
export type OtpRequest = z.infer<typeof otpRequest>;

export const otpRequested = z
  .object({ otp_request_id: otpRequestId, expires_at: time })
  .meta({ id: 'OtpRequested' });

export const otpVerification = z
  .strictObject({
    otp_request_id: otpRequestId,
    code: z
      .string()
      .regex(/^\d{1,16}$/)
      .meta({ description: 'The digits that the payer typed.', example: '048213' }),
  })
  .meta({ id: 'OtpVerification' });
export type OtpVerification = z.infer<typeof otpVerification>;

export const otpVerified = z
  .object({ verified: z.boolean().meta({ description: 'false: the code is wrong. The attempt counts.' }) })
  .meta({ id: 'OtpVerified' });
