import { z } from 'zod';

/*
 * The bodies of the gateway's API for support staff, under `/staff/v1`. Times are RFC 3339.
 */

/** Every operation is below this path. */
export const staffPath = '/staff/v1';

const maxNoteLength = 1_000;
const noteExpected = `expected a text of 1 to ${maxNoteLength} characters`;

/** A text that a person writes. Control characters are rejected, because it is printed in terminals. */
export const staffText = z
  .string(noteExpected)
  .trim()
  .min(1, noteExpected)
  .max(maxNoteLength, noteExpected)
  .regex(/^[^\p{Cc}\p{Cf}]*$/u, 'expected a text in one line, without control characters');

/** An input without fields. */
export const checkNowInput = z.strictObject({});

export const checkNowAnswer = z.object({
  collectionId: z.string(),
  status: z.string(),
  /** When the poll is due. */
  pollAt: z.iso.datetime(),
});

export const noteInput = z.strictObject({ text: staffText });

export const noteAnswer = z.object({
  collectionId: z.string(),
  actor: z.string(),
  at: z.iso.datetime(),
  text: z.string(),
});
