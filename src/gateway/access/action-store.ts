import { and, desc, eq, type SQL, sql } from 'drizzle-orm';
import type { EpochMs } from '../../shared/clock.ts';
import { build, equals, prepareQuery, prepareWrite, rowParameters, toWrite } from '../../sqlite/statement.ts';
import type { Store, Write } from '../../sqlite/store.ts';
import { account, accountSession, merchantKey, staffAction } from '../database/schema.ts';
import type { ChainedAction } from '../ledger/chain.ts';
import type { Actor } from './permissions.ts';

/** Who did what, to what. */
export type StaffAction = {
  /** The batch loses when the actor is no more who it was: the sign-in session or the key has ended, or the role has changed. */
  actor: Actor;
  /** The operation, such as `note`. */
  action: string;
  /** `refused` when the operation changed nothing. */
  result?: 'refused';
  /** A refusal that must be recorded, because it answers a guess: beyond its bound the batch loses. */
  isGuess?: boolean;
  /** The id of a phone is its number, that of the configuration its version, and that of a day its date. */
  subject: {
    kind: 'collection' | 'phone' | 'unplaced' | 'endpoint' | 'key' | 'account' | 'configuration' | 'day';
    id: string;
    merchantId: string | null;
    livemode: number;
  };
  detail: Readonly<Record<string, unknown>>;
};

/**
 * Actions within 24 hours, because none is ever deleted. `reserve` is for actions of a person on their own account beyond `person`, such
 * as ending sessions. `refused` is below `person`, so that guesses of a stranger leave a person most of the day.
 */
export const actionLimits = {
  /** Of one person or key. */
  person: 2_000,
  reserve: 1_000,
  refused: 500,
  /** About one payment, endpoint or key, or about one number or day at one merchant. */
  subject: 1_000,
  /** The same, by the keys and people of merchants, so that support staff can always act. */
  subjectByMerchant: 200,
  /** About all that is of a merchant, by its keys and people. */
  merchant: 5_000,
} as const;

const windowMs = 24 * 3_600_000;

/** Why an action is not written. */
type Bound = 'actor' | 'person' | 'subject' | 'merchant';

/** An action that was not written. Its message is for the person or the system that wanted to act. */
export class ActionRefused extends Error {
  override readonly name = 'ActionRefused';

  constructor(bound: Bound) {
    super(messages[bound]);
    this.code = bound === 'actor' ? 'access_ended' : 'too_many_actions';
  }

  readonly code: 'access_ended' | 'too_many_actions';
}

const messages = {
  actor: 'your access was ended or changed meanwhile, and nothing was done: sign in again',
  person: 'you have done as much as one person or key can do in 24 hours: continue tomorrow',
  subject: 'as much as possible was done about this in 24 hours: continue tomorrow',
  merchant:
    'the keys and people of this merchant have done as much as they can in 24 hours: continue tomorrow',
} as const satisfies Record<Bound, string>;

const { placeholder } = sql;

/** The condition that fewer than a number of the selected actions are younger than the window. Walks the index of the column. */
function isWithinQuota(selected: SQL, limit: SQL): SQL {
  const nth = sql`SELECT ${staffAction.at} FROM ${staffAction} WHERE ${selected} ORDER BY ${staffAction.seq} DESC LIMIT 1 OFFSET ${limit}`;
  return sql`coalesce((${nth}) <= ${placeholder('since')}, TRUE)`;
}

/** Merchants share numbers and days, and none uses up the bound of another. */
const aboutSubject = sql`${staffAction.subjectId} = ${placeholder('subjectId')}
  AND coalesce(${staffAction.merchantId}, '') = coalesce(${placeholder('merchantId')}, '')`;
const isOfMerchant = sql`${placeholder('isOfMerchant')} = 1`;

/**
 * The condition that a person or a key is still who it was: a right to decide that began later is another one. A refusal is recorded
 * anyway.
 */
const isActor = sql`CASE ${placeholder('actorKind')}
  WHEN 'person' THEN EXISTS (SELECT 1 FROM ${accountSession} JOIN ${account} ON ${account.id} = ${accountSession.accountId}
    WHERE ${accountSession.digest} = ${placeholder('sessionDigest')} AND ${account.disabledAt} IS NULL
      AND ${account.role} = ${placeholder('actorRole')}
      AND coalesce(${account.decidesFrom}, 0) <= ${placeholder('actorDecidesFrom')}
      AND coalesce(${account.merchantId}, '') = ${placeholder('actorMerchant')})
  WHEN 'key' THEN EXISTS (SELECT 1 FROM ${merchantKey}
    WHERE ${merchantKey.id} = ${placeholder('actor')} AND ${merchantKey.revokedAt} IS NULL)
  ELSE TRUE END`;

const bounds: Record<Bound, SQL> = {
  actor: isActor,
  person: isWithinQuota(
    sql`${staffAction.actor} = ${placeholder('actor')}`,
    sql`${placeholder('ownOffset')}`,
  ),
  subject: sql`(${placeholder('isAccount')} = 1 OR (${isWithinQuota(aboutSubject, sql`${placeholder('subjectOffset')}`)}
    AND (NOT ${isOfMerchant} OR ${isWithinQuota(aboutSubject, sql`${placeholder('merchantSubjectOffset')}`)})))`,
  merchant: sql`(NOT ${isOfMerchant} OR ${isWithinQuota(
    sql`${staffAction.merchantId} = ${placeholder('merchantId')}`,
    sql`${placeholder('merchantOffset')}`,
  )})`,
};

const row = rowParameters(staffAction, 'seq');
const columns = Object.keys(row) as (keyof typeof row)[];
const insertWithinQuotas = toWrite(
  sql`INSERT INTO ${staffAction} (${sql.join(
    columns.map((name) => sql.identifier(staffAction[name].name)),
    sql`, `,
  )}) SELECT ${sql.join(
    columns.map((name) => sql`${row[name]}`),
    sql`, `,
  )} WHERE ${sql.join(Object.values(bounds), sql` AND `)}`,
);

type Values = Omit<ChainedAction, 'seq'> & Record<string, unknown>;

const insertAction = prepareWrite<Values>(insertWithinQuotas, 1);

/** A refusal beyond a bound is not recorded: the request has its answer anyway. */
const insertRefusal = prepareWrite<Values>(insertWithinQuotas);

const firstExceeded = prepareQuery(
  build
    .select({
      bound: sql<Bound | null>`CASE ${sql.join(
        Object.entries(bounds).map(([name, quota]) => sql`WHEN NOT (${quota}) ${sql.raw(`THEN '${name}'`)}`),
        sql` `,
      )} END`,
    })
    .from(sql`(SELECT 1) AS one`),
);

const sameAction = prepareQuery(
  build
    .select({ at: staffAction.at })
    .from(staffAction)
    .where(equals(staffAction, 'subjectId', 'subjectKind', 'actor', 'action', 'detail'))
    .orderBy(desc(staffAction.seq))
    .limit(1),
);

/** Returns whether the same action of the same actor was recorded within 24 hours. */
export async function isRecorded(
  store: Pick<Store, 'query'>,
  { actor, action, subject: { kind, id }, detail }: StaffAction,
  now: EpochMs,
): Promise<boolean> {
  const last = await sameAction.get(store, {
    ...{ subjectId: id, subjectKind: kind, actor: actor.name, action, detail: JSON.stringify(detail) },
  });
  return last !== undefined && last.at > now - windowMs;
}

/** The values of the writes that have a bound. */
const bounded = new WeakMap<Write, Values>();

/**
 * Returns the write that records an action. It belongs to the batch of the action itself, and loses beyond `actionLimits`, also when
 * several are written at the same moment.
 */
export function staffActionWrite(
  { actor, action, result, isGuess = false, subject, detail }: StaffAction,
  at: EpochMs,
): Write {
  const { kind: subjectKind, id: subjectId, merchantId, livemode } = subject;
  const { person, reserve, refused } = actionLimits;
  const own = result ? refused : subjectKind === 'account' ? person + reserve : person;
  const values = {
    ...{ at, actor: actor.name, action, result: result ?? ('done' as const) },
    ...{ subjectKind, subjectId, merchantId, livemode, detail: JSON.stringify(detail) },
    ...{ since: at - windowMs, ownOffset: own - 1 },
    ...actorValues(actor, result),
    isAccount: subjectKind === 'account' ? 1 : 0,
    subjectOffset: actionLimits.subject - 1,
    merchantSubjectOffset: actionLimits.subjectByMerchant - 1,
    merchantOffset: actionLimits.merchant - 1,
  } as const;
  const locks = [
    ...[`actions of ${actor.name}`, `actions about ${subjectId}`, `actions at ${merchantId}`],
    getLock(actor),
  ];
  const write = { ...(result && !isGuess ? insertRefusal : insertAction)(values), locks };
  bounded.set(write, values);
  return write;
}

const actorNow = prepareQuery(
  build.select({ is: sql<number>`CASE WHEN ${isActor} THEN 1 ELSE 0 END` }).from(sql`(SELECT 1) AS one`),
);

/** Returns whether a person or a key is still who it was: for reads that are longer than one answer. */
export async function isStillActor(store: Pick<Store, 'query'>, actor: Actor): Promise<boolean> {
  return (await actorNow.get(store, { actor: actor.name, ...actorValues(actor) }))?.is === 1;
}

const keepSession = prepareWrite<Record<string, unknown>>(
  build
    .update(accountSession)
    .set({ seenAt: sql`${accountSession.seenAt}` })
    .where(and(eq(accountSession.digest, placeholder('sessionDigest')), isActor)),
  1,
);

const keepKey = prepareWrite<Record<string, unknown>>(
  build
    .update(merchantKey)
    .set({ lastUsedAt: sql`${merchantKey.lastUsedAt}` })
    .where(and(eq(merchantKey.id, placeholder('actor')), isActor)),
  1,
);

/** The actors of the writes that only guard. */
const guarding = new WeakMap<Write, Actor>();

/** Returns the writes that record nothing, and with which a batch loses when the actor is no more who it was. */
export function actorWrites(actor: Actor): Write[] {
  if (actor.kind !== 'person' && actor.kind !== 'key') return [];
  const keep = actor.kind === 'person' ? keepSession : keepKey;
  const write = { ...keep({ actor: actor.name, ...actorValues(actor) }), locks: [getLock(actor)] };
  guarding.set(write, actor);
  return [write];
}

/** An action that ends the access of an actor takes the same lock. */
const getLock = (actor: Actor) => `actions about ${actor.kind === 'person' ? actor.accountId : actor.name}`;

function actorValues(actor: Actor, result?: StaffAction['result']) {
  const { merchantId } = actor;
  const person = actor.kind === 'person' ? actor : undefined;
  return {
    actorKind: result ? 'system' : actor.kind,
    isOfMerchant: merchantId === null ? 0 : 1,
    sessionDigest: person?.session.digest ?? '',
    actorRole: person?.role ?? '',
    actorDecidesFrom: person?.decidesFrom ?? 0,
    actorMerchant: merchantId ?? '',
  };
}

/** Returns a store whose `apply` throws `ActionRefused` for a batch that lost because of its actor, or of a bound of actions. */
export function boundActions(store: Store): Store {
  return {
    ...store,
    async apply(batch, signal) {
      if (await store.apply(batch, signal)) return true;
      for (const write of batch) {
        const actor = guarding.get(write);
        if (actor && !(await isStillActor(store, actor))) throw new ActionRefused('actor');
        const values = write.rows === undefined ? undefined : bounded.get(write);
        const found = values && (await firstExceeded.get(store, values));
        if (found?.bound) throw new ActionRefused(found.bound);
      }
      return false;
    },
  };
}
