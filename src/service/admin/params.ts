import { z } from '@hono/zod-openapi';
import { idParam } from '../http/operation.ts';

/** The newest, or first, rows that a list without pages shows. */
export const listLimit = 100;

export const merchantParam = idParam('The merchant.', 'mch_01k5n8c0');

export const livemodeField = z.boolean().meta({ description: 'false for test, true for live.' });

export const platformIdField = z
  .string()
  .max(128)
  .optional()
  .meta({ description: "The merchant's first platform when left out." });

export const nameField = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .regex(/^\P{Cc}*$/u)
  .meta({ description: 'For people, 1 to 100 characters on one line.' });
