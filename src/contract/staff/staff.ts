import { z } from 'zod';
import { paymentAnswers } from '../merchant/notification.ts';

/*
 * The bodies of the gateway's API for support staff, under `/staff/v1`. Times are RFC 3339, amounts are pesewas.
 */

/** Every operation is below this path. */
export const staffPath = '/staff/v1';

const maxNoteLength = 1_000;
const noteExpected = `expected a text of 1 to ${maxNoteLength} characters`;

const lineExpected = 'expected a text without control characters';
/** Emoji. Some have format characters, which are refused anywhere else. */
const emoji = /\p{RGI_Emoji}/gv;

/**
 * A text that a person writes. It is one line: breaks and tabs of a pasted text become spaces. Other control characters are rejected,
 * because it is printed in terminals.
 */
export const staffText = z
  .string(noteExpected)
  .overwrite((text) => text.replace(/[\r\n\t]+/g, ' '))
  .trim()
  .min(1, noteExpected)
  // A character beyond U+FFFF has two code units. JSON Schema counts characters.
  .max(2 * maxNoteLength, noteExpected)
  .refine((text) => [...text].length <= maxNoteLength, noteExpected)
  .regex(/^[^\p{Cc}]*$/u, lineExpected)
  .refine((text) => !/\p{Cf}/u.test(text.replace(emoji, '')), lineExpected)
  .meta({ maxLength: maxNoteLength });

export const checkNowInput = z.strictObject({ reason: staffText.optional() });

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

const assignee = z.string('expected the name of a person, such as ama').max(64).nullable();

/**
 * `to` is the name of a person; null when the collection is no longer assigned. With `from`, the person who is known to have it, nothing
 * changes when another one has it.
 */
export const assignInput = z.strictObject({
  to: assignee,
  from: assignee.optional(),
  reason: staffText.optional(),
});

export const assignAnswer = z.object({
  collectionId: z.string(),
  actor: z.string(),
  at: z.iso.datetime(),
  to: z.string().nullable(),
});

/** The result of a read by its name, and the version of the gateway, which determines its shape. */
export const supportAnswer = z.object({ version: z.string(), value: z.unknown() });
export type SupportAnswer = z.infer<typeof supportAnswer>;

export const assignUnplacedAnswer = assignAnswer
  .omit({ collectionId: true })
  .extend({ unplacedId: z.string() });

/** `session` is the sign-in session that sees the numbers; null for the one of the request. */
export const revealInput = z.strictObject({
  reason: staffText,
  session: z.string().min(1).max(64).nullable().default(null),
});

/** The whole numbers of a collection, and what its payer answered. */
export const revealAnswer = z.object({
  collectionId: z.string(),
  actor: z.string(),
  at: z.iso.datetime(),
  /** Until when the pages of the session show the numbers. */
  until: z.iso.datetime(),
  payer: z.string(),
  dialler: z.string(),
  answers: paymentAnswers,
});

/** The roles in which a number is blocked. */
export const blockRoles = ['dialler', 'payer'] as const;
export type BlockRole = (typeof blockRoles)[number];

/** What a number that is blocked in a role may not do. */
export const blockWords = {
  dialler: 'may not request payments',
  payer: 'may not be asked to pay by other phones',
} as const satisfies Record<BlockRole, string>;

const blockKey = {
  msisdn: z.string('expected a number').max(20),
  role: z.enum(blockRoles, `expected one of ${blockRoles.join(', ')}`),
  /** The id of a merchant; null for all merchants of the gateway. */
  merchantId: z.string().min(1).max(64).nullable(),
};

/** When a block ends by itself; null for no end. */
const until = z.iso.datetime('expected a time such as 2026-12-01T00:00:00Z').nullable();

export const blockInput = z.strictObject({ ...blockKey, reason: staffText, until });

export const unblockInput = z.strictObject({ ...blockKey, reason: staffText });

export const blockAnswer = z.object({
  msisdn: z.string(),
  role: z.string(),
  merchantId: z.string().nullable(),
  actor: z.string(),
  at: z.iso.datetime(),
  until: z.iso.datetime().nullable(),
});

/** The dialler or the payer of a collection, at its merchant or at all merchants of the gateway. */
const blockOfCollection = { role: blockKey.role, everywhere: z.boolean('expected true or false') };

export const blockOfCollectionInput = z.strictObject({ ...blockOfCollection, reason: staffText, until });

export const unblockOfCollectionInput = z.strictObject({ ...blockOfCollection, reason: staffText });

/** A notification about a collection: the endpoint that gets it, and its event. */
export const resendOfCollectionInput = z.strictObject({
  endpointId: z.string('expected the id of an endpoint').max(64),
  eventId: z.string('expected the id of an event').max(80),
});

/** The payments of one merchant that were opened on a day (UTC), as the person who closes it saw them. */
export const dayTotals = z.strictObject({
  opened: z.int().nonnegative(),
  paid: z.int().nonnegative(),
  notPaid: z.int().nonnegative(),
  chargedMinor: z.int().nonnegative(),
  feeMinor: z.int().nonnegative(),
  netMinor: z.int().nonnegative(),
});
export type DayTotals = z.infer<typeof dayTotals>;

/** The answer of `POST /staff/v1/reload`. */
export const reloadAnswer = z.object({
  /** One line for each merchant, channel and person that changed; empty when nothing did. */
  changes: z.array(z.string()),
});
export type ReloadAnswer = z.infer<typeof reloadAnswer>;
