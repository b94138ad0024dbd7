import { and, desc, eq, inArray, or, sql } from 'drizzle-orm';
import type { EpochMs } from '../../shared/clock.ts';
import type { Msisdn } from '../../shared/msisdn.ts';
import type { Store } from '../../sqlite/store.ts';
import { type CollectionRow, findMedianAnswer, isScheduled } from '../collection/collection.ts';
import { inRows } from '../collection/store/collection-store.ts';
import { collection, requestedByOther, staffAction, turn, unplacedPayment } from '../database/schema.ts';
import { type Block, listBlocksOf } from '../staff/block-query.ts';
import type { UnplacedPayment } from '../unplaced/unplaced.ts';
import type { PageRequest, Scope, UnknownCursor } from './page.ts';
import { readCollectionPage, readCollectionPart, sumByStatus } from './page-query.ts';
import { getOutcome } from './playbook/playbook.ts';
import { type PlaybookRow, payerTexts } from './playbook/playbook-row.ts';
import type { SessionEnd } from './session-end.ts';
import { findDialogues, type SessionSummary } from './session-query.ts';

type Text = PlaybookRow['tellPayer'];

/** What a caller did, each list newest first. */
type CallerHistory = {
  /** The payments of the own phone. */
  payments: readonly CollectionRow[];
  /** The dialogues without a payment. */
  dialogues: readonly Pick<SessionSummary, 'startedAt' | 'end'>[];
  /** The money that waits in suspense. */
  unplaced: readonly Pick<UnplacedPayment, 'reason'>[];
};

/** A longer text is not read out. */
const maxTexts = 3;

/**
 * Returns one text for a caller: about the last call or payment, and about money whose end is not known. While a payment can still be
 * made, no text says that nothing was paid.
 *
 * @returns null for a caller without any of them.
 */
function callerText({ payments, dialogues, unplaced }: CallerHistory): Text | null {
  const [payment] = payments;
  const [dialogue] = dialogues;
  const isCallLast = dialogue !== undefined && dialogue.startedAt >= (payment?.openedAt ?? 0);
  const undecided = payments.filter((row) => row.review !== null || isScheduled(row));
  const isSettled = undecided.length + unplaced.length === 0;
  const lastCall = isCallLast && isSettled ? textOfEnd(dialogue.end) : undefined;
  const last = isCallLast ? lastCall : payment && getOutcome(payment).tellPayer;
  const checked = undecided.map((row) => getOutcome(row).tellPayer);
  const waiting = unplaced.map(({ reason }) =>
    reason === 'second_charge' ? payerTexts.secondCharge : payerTexts.unplacedMoney,
  );
  const texts = [...new Set([...(last ? [last] : []), ...waiting, ...checked])].slice(0, maxTexts);
  if (texts.length === 0) return null;
  return { en: texts.map(({ en }) => en).join(' '), tw: texts.map(({ tw }) => tw).join(' ') };
}

function textOfEnd(end: SessionEnd): Text {
  return end === 'rejected' ? payerTexts.notPossible : payerTexts.nothingConfirmed;
}

/** The payments of a caller: of the own phone, or those that it requested from another one. */
export const callerRoles = ['payer', 'dialler'] as const;
export type CallerRole = (typeof callerRoles)[number];

type CallerRequest = PageRequest & {
  /** Only blocks and unplaced money of this mode. */
  livemode?: 0 | 1;
  now: EpochMs;
  /** Only payments in this role. */
  role?: CallerRole | undefined;
};

/** The payments and dialogues of one phone number within a scope. */
export type CallerView = Exclude<Awaited<ReturnType<typeof readCaller>>, UnknownCursor>;

/** The dialogues of a caller that are read, and those without a payment that are listed. */
const maxDialogues = 100;
const maxUnopened = 10;
const maxUnplaced = 20;
const maxNotes = 10;
/** The newest payments from which the text and the sums are made. An attendant has more. */
const maxSummed = 2_000;
const maxTold = 20;

/** Reads everything about one phone number. People of a merchant read its payments only. */
export async function readCaller(store: Store, scope: Scope, msisdn: Msisdn, request: CallerRequest) {
  const { role, now, livemode, ...page } = request;
  const counts = {
    payer: await count(store, scope, msisdn, 'payer'),
    dialler: await count(store, scope, msisdn, 'dialler'),
  };
  const payments = await readCollectionPage(store, selectRole(scope, msisdn, role), page);
  if (payments === 'unknown_cursor') return payments;
  const own = await readCollectionPart(store, selectRole(scope, msisdn, 'payer'), { limit: maxTold });
  const newest = own === 'unknown_cursor' ? [] : own.data;
  const isOfAll = scope.merchantId === null;
  const dialogues = isOfAll ? await readDialogues(store, msisdn) : { unopened: [], lastAt: null };
  const unplaced = isOfAll ? await readUnplaced(store, msisdn, { livemode, payments: newest }) : [];
  const shown = [...new Set([...payments.data, ...newest].map(({ id }) => id))];
  return {
    payments,
    counts,
    /** The payments of the own phone that are paid; null for more than are summed. */
    paid: counts.payer <= maxSummed ? await countPaid(store, scope, msisdn) : null,
    ...dialogues,
    unplaced,
    blocks: isOfAll ? await listBlocksOf(store, [msisdn], { now, livemode }) : ([] as Block[]),
    notes: isOfAll ? await readNotes(store, shown) : [],
    habits: findHabits(newest),
    text: callerText({ payments: newest, dialogues: dialogues.unopened, unplaced }),
  };
}

/** Fewer payments show no habit. */
const minHabit = 3;

/**
 * Returns the habits of a payer: how many of the newest paid payments the own phone requested, the range of their prices in
 * pesewas without the lowest and the highest quarter, and the median time from the prompt to the approval, in milliseconds.
 * Null with too few payments.
 */
export function findHabits(payments: readonly CollectionRow[]) {
  const paid = payments.filter(({ status }) => status === 'paid');
  if (paid.length < minHabit) return null;
  const prices = paid.map(({ goodsMinor }) => goodsMinor).toSorted((one, other) => one - other);
  const quarter = Math.floor(prices.length / 4);
  const usual = prices.slice(quarter, prices.length - quarter);
  return {
    payments: paid.length,
    ownPhone: paid.filter(({ payer, dialler }) => payer === dialler).length,
    lowMinor: Math.min(...usual),
    highMinor: Math.max(...usual),
    answerMs: findMedianAnswer(paid, minHabit) ?? null,
  };
}

function selectRole(scope: Scope, msisdn: Msisdn, role: CallerRole | undefined) {
  const isPayer = sql`${collection.payer} = ${msisdn}`;
  const isForOther = sql`${collection.dialler} = ${msisdn} AND ${requestedByOther}`;
  const conditions = { payer: [isPayer], dialler: [isForOther] };
  const where = inRows(role === undefined ? [isPayer, isForOther] : conditions[role]);
  return { where, selective: true, scope };
}

async function count(store: Store, scope: Scope, msisdn: Msisdn, role: CallerRole): Promise<number> {
  const page = await readCollectionPage(store, selectRole(scope, msisdn, role), { limit: 1 });
  return page === 'unknown_cursor' ? 0 : page.total;
}

async function countPaid(store: Store, scope: Scope, msisdn: Msisdn): Promise<number> {
  const sums = await sumByStatus(store, selectRole(scope, msisdn, 'payer'));
  return sums.filter(({ status }) => status === 'paid').reduce((sum, { total }) => sum + total, 0);
}

async function readDialogues(
  store: Store,
  msisdn: Msisdn,
): Promise<{ unopened: SessionSummary[]; lastAt: EpochMs | null }> {
  const found = await findDialogues(store, msisdn, { limit: maxDialogues });
  const data = found === 'unknown_cursor' ? [] : found.data;
  return {
    unopened: data.filter(({ collectionId }) => collectionId === null).slice(0, maxUnopened),
    lastAt: data[0]?.startedAt ?? null,
  };
}

/** Returns the unplaced money that waits: of the number, and beside its newest payments. */
async function readUnplaced(
  { read }: Store,
  msisdn: Msisdn,
  { livemode, payments }: { livemode: 0 | 1 | undefined; payments: readonly CollectionRow[] },
): Promise<UnplacedPayment[]> {
  const sessions = payments.flatMap(({ sessionId }) => sessionId ?? []);
  return (await read
    .select()
    .from(unplacedPayment)
    .where(
      and(
        or(
          eq(unplacedPayment.payer, msisdn),
          sessions.length === 0 ? undefined : inArray(unplacedPayment.sessionId, sessions),
        ),
        livemode === undefined ? undefined : eq(unplacedPayment.livemode, livemode),
        eq(unplacedPayment.state, 'open'),
      ),
    )
    .orderBy(desc(unplacedPayment.receivedAt))
    .limit(maxUnplaced)) as UnplacedPayment[];
}

/** Returns the newest notes about payments. */
async function readNotes({ read }: Store, ids: readonly string[]) {
  if (ids.length === 0) return [];
  const { subjectId, actor, at, detail } = staffAction;
  const rows = await read
    .select({ subjectId, actor, at, detail })
    .from(staffAction)
    .where(and(inArray(subjectId, [...ids]), eq(staffAction.action, 'note'), eq(staffAction.result, 'done')))
    .orderBy(desc(staffAction.seq))
    .limit(maxNotes);
  return rows.map(({ detail, ...row }) => ({ ...row, text: String(JSON.parse(detail).text) }));
}

/** Returns the phone of a dialogue; undefined without one. */
export async function findCallerOf({ read }: Store, dialogueId: string): Promise<Msisdn | undefined> {
  const [row] = await read
    .select({ dialler: turn.dialler })
    .from(turn)
    .where(eq(turn.dialogueId, dialogueId))
    .limit(1);
  return row?.dialler as Msisdn | undefined;
}

/** Returns the newest dialogue of a phone; undefined without one. People of a merchant read no dialogues. */
async function findLastDialogue({ read }: Store, scope: Scope, msisdn: Msisdn): Promise<string | undefined> {
  if (scope.merchantId !== null) return undefined;
  const [row] = await read
    .select({ id: turn.dialogueId })
    .from(turn)
    .where(eq(turn.dialler, msisdn))
    .orderBy(desc(turn.at))
    .limit(1);
  return row?.id;
}

export const callerReads = { caller: readCaller, callerOf: findCallerOf, lastDialogue: findLastDialogue };
