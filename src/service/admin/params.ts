import { z } from 'zod';
import { idParam } from '../http/operation.ts';

export const merchantParam = idParam('The merchant.', 'mch_01k5n8c0');

export const platformIdField = z
  .string()
  .max(128)
  .optional()
  .meta({ description: "Default: the merchant's first platform." });

export const nameField = z
  .string()
  // Before the blanks are cut off: some control characters count as blanks.
  .regex(/^\P{Cc}*$/u)
  .trim()
  .min(1)
  .max(100)
  .meta({ description: 'A display name, 1 to 100 characters on one line.' });
