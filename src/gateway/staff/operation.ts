import type { z } from 'zod';
import { noInput } from '../../contract/staff/review.ts';
import { parseRequest } from '../../kit/define-route.ts';
import type { SecretCipher } from '../../kit/secret-cipher.ts';
import type { Menu } from '../../menu/schema.ts';
import type { Clock, EpochMs } from '../../shared/clock.ts';
import type { Ids } from '../../shared/ids.ts';
import { ActionRefused, type StaffAction } from '../access/action-store.ts';
import { type Actor, can, isForMerchants, type Permission } from '../access/permissions.ts';
import type { AccountStore } from '../accounts/account-store.ts';
import { isConfirmed } from '../accounts/session.ts';
import type { Reconciliation } from '../collection/apply.ts';
import type { CollectionStore } from '../collection/store/collection-store.ts';
import type { DaySums } from '../collection/store/sums-query.ts';
import type { TimeSpan } from '../ledger/day.ts';
import type { LedgerStore } from '../ledger/ledger-store.ts';
import type { NotificationEndpointStore } from '../notify/endpoint-store.ts';
import type { NotificationStore } from '../notify/notification-store.ts';
import type { PaymentEvent } from '../notify/payment-events.ts';
import type { NotificationQueue } from '../notify/queue.ts';
import type { CollectionCursor, ReplayRange } from '../notify/replay-query.ts';
import { ReadFault, readFaultText } from '../reading/reads.ts';
import type { StatementFormat } from '../service-statement/read-statement.ts';
import type { StatementReader } from '../service-statement/statement-reads.ts';
import type { UnplacedFilter, UnplacedPage, UnplacedPageRequest } from '../unplaced/list-query.ts';
import type { Suggestion } from '../unplaced/suggestions-query.ts';
import type { UnplacedPayment } from '../unplaced/unplaced.ts';
import type { UnplacedStore } from '../unplaced/unplaced-store.ts';
import type { BlockQuery } from './block-query.ts';
import type { DayClose } from './day-close-query.ts';
import type { MerchantKeyStore } from './merchant-key-store.ts';
import type { ProposalStore } from './proposal-store.ts';

/** Dependencies of the operations on notification endpoints. */
export type NotifyDeps = {
  endpoints: NotificationEndpointStore;
  notifications: NotificationStore;
  cipher: SecretCipher;
  queue: Pick<NotificationQueue, 'expect'>;
  replays: {
    listOpened(
      range: ReplayRange,
      page: { after: CollectionCursor | undefined; limit: number },
    ): Promise<CollectionCursor[]>;
    eventsOf(collectionId: string): Promise<PaymentEvent[]>;
    /** Returns whether the replay was recorded within 24 hours. */
    isRecorded(action: StaffAction, now: EpochMs): Promise<boolean>;
  };
  isUrlAllowed(url: URL, merchantId: string): boolean;
};

/** Dependencies of reads of endpoints, also in the reading thread. */
export type EndpointReadDeps = {
  notifications: Pick<NotifyDeps, 'endpoints' | 'notifications'> | undefined;
  livemode: 0 | 1;
  clock: Pick<Clock, 'now'>;
};

export type StaffDeps = {
  collections: CollectionStore;
  ledger: LedgerStore;
  proposals: ProposalStore;
  unplaced: UnplacedStore;
  unplacedLists: {
    list(filter: UnplacedFilter, page: UnplacedPageRequest): Promise<UnplacedPage | 'unknown_cursor'>;
    suggest(payment: UnplacedPayment, limit: number): Promise<Suggestion[]>;
  };
  /** Returns the person who has a payment, or an unplaced one, to resolve. */
  findAssignee(id: string): Promise<string | undefined>;
  /** Decides about collections. */
  reconciliation: Reconciliation;
  /** Above this amount, a second person must approve a decision. */
  secondPersonAboveMinor: number;
  blocks: BlockQuery;
  merchantKeys: MerchantKeyStore;
  days: {
    /** Sums the payments of a merchant that were opened on a day. */
    sum(owner: { merchantId: string; livemode: number }, span: TimeSpan): Promise<DaySums>;
    /** Returns the last close of each merchant on a day. */
    closes(livemode: number, date: string): Promise<DayClose[]>;
  };
  /** The statements of the service, and the books beside them. */
  statements: { getFormat(merchantId: string): StatementFormat; reader: StatementReader };
  accounts: AccountStore;
  /** Absent without `notify` in the configuration. */
  notifications: NotifyDeps | undefined;
  hasMerchant(merchantId: string): boolean;
  /** Returns the database to which a merchant has moved; undefined for one that is served here. */
  placeOf(merchantId: string): string | undefined;
  merchantIds(): readonly string[];
  /** Returns the menus of the configuration with the names of their merchants, of one merchant or of all. */
  menus(merchantId: string | null): readonly { name: string; menu: Menu }[];
  /** Returns the channels of the configuration, of one merchant or of all. */
  channelIds(merchantId: string | null): readonly string[];
  /** Returns the time zone of a merchant; Ghana's without one. */
  timeZone(merchantId: string | null | undefined): string;
  /** Returns whether any visitor of the demo may sign in with the account. */
  isOpenAccount(name: string): boolean;
  /** Reads the configuration again; `apply` replaces the one that runs. Both throw a `UserError` when nothing was applied. */
  prepareReload(): { changes: string[]; apply(): void };
  clock: Clock;
  ids: Ids;
  livemode: 0 | 1;
  /** Called after a collection was made due, so that the worker does not wait for its next round. */
  onDue(): void;
};

export type StaffFailureCode =
  | 'invalid_request'
  | 'not_found'
  | 'conflict'
  | 'too_early'
  | 'too_many_actions'
  | 'forbidden'
  | 'confirmation_required'
  | 'access_ended'
  | 'busy';

/** The result of an operation. The message of a failure states what to do. */
export type StaffAnswer<Value> = { ok: true; value: Value } | OperationRefusal;

export type OperationRefusal = { ok: false; code: StaffFailureCode; message: string };

/** Returns the refusal of an operation. The message states what to do. */
export function refuse(code: StaffFailureCode, message: string): OperationRefusal {
  return { ok: false, code, message };
}

/** The method, and the path under `/staff/v1`. An id in the path is called `:id`. */
type Route = `${'GET' | 'POST'} /${string}`;

/** One call of an operation: the actor, the id of the subject, and the input, which the operation validates. */
export type StaffCall = { actor: Actor; id?: string; input?: unknown };

/** A call that the operation has checked. */
export type CheckedCall<Input, Subject> = { actor: Actor; id: string; input: Input; subject: Subject };

export type Subject<Deps, Found, Input = unknown> = {
  /** Returns the subject, a refusal, or `undefined` when there is none. */
  find(deps: Deps, call: { id: string; input: Input }): Promise<Found | OperationRefusal | undefined>;
  /** The answer without a subject. A subject that the actor may not see gets the same one. */
  unknown(call: { id: string; input: Input }): OperationRefusal;
};

/** Every subject that a merchant can name belongs to one. */
type Owned = { merchantId: string | null };

type Definition<Deps, Schema extends z.ZodType, Found, Value> = {
  route: Route;
  permission: Permission;
  /** A person must have entered the password and a code within five minutes. */
  confirm?: true;
  /** Absent for an operation without input. */
  input?: Schema;
  /** `all` for an operation that limits what it returns to the merchant of the actor by itself. */
  subject?: Subject<Deps, Found, z.infer<Schema>> | 'all';
  run(deps: Deps, call: CheckedCall<z.infer<Schema>, Found>): Promise<StaffAnswer<Value>>;
};

/** Permissions to act also where a merchant has moved away: on the rows that stay, and on access to them. */
const forHistory: ReadonlySet<Permission> = new Set([
  'accounts.manage',
  'keys.write',
  'numbers.reveal',
  'numbers.export',
]);

/** An operation: the only way to change something, for pages, HTTP and commands alike. It checks the permission of its actor. */
export type Operation<Deps = StaffDeps, Value = unknown> = {
  (deps: Deps, call: StaffCall): Promise<StaffAnswer<Value>>;
  route: Route;
};

/**
 * Creates an operation from its description. It refuses, in this order: an actor without the permission, an invalid input, a subject
 * that the actor may not see, and an action beyond the quotas of recorded actions.
 *
 * @throws Error for an operation that merchants may call and that has no subject.
 */
export function defineOperation<
  Deps extends { clock: Pick<Clock, 'now'>; placeOf?: StaffDeps['placeOf'] },
  Schema extends z.ZodType,
  Found,
  Value,
>({
  route,
  permission,
  confirm,
  input: schema,
  subject,
  run,
}: Definition<Deps, Schema, Found, Value>): Operation<Deps, Value> {
  if (isForMerchants(permission) && subject === undefined) throw new Error(`${route} has no subject`);
  const mayActOnHistory = route.startsWith('GET') || forHistory.has(permission);

  async function find(
    deps: Deps,
    call: { id: string; input: z.infer<Schema> },
    actor: Actor,
  ): Promise<StaffAnswer<Found>> {
    if (subject === undefined || subject === 'all') return { ok: true, value: undefined as Found };
    const found = await subject.find(deps, call);
    if (found === undefined) return subject.unknown(call);
    if (isRefusal(found)) return found;
    const { merchantId } = found as Owned;
    if (!can(actor, permission, { merchantId })) return subject.unknown(call);
    const place = merchantId === null || mayActOnHistory ? undefined : deps.placeOf?.(merchantId);
    if (place === undefined) return { ok: true, value: found as Found };
    return refuse(
      'conflict',
      `${merchantId} has moved to the database ${place}, and its rows here are history: act there`,
    );
  }

  async function operate(deps: Deps, { actor, id = '', input = {} }: StaffCall): Promise<StaffAnswer<Value>> {
    const refused = refuseActor(actor, { permission, confirm }, deps.clock.now());
    if (refused) return refused;
    const parsed = parseRequest(schema ?? noInput, input);
    if (!parsed.ok) return refuse('invalid_request', parsed.message);
    const call = { id, input: parsed.value as z.infer<Schema> };
    const found = await find(deps, call, actor);
    if (!found.ok) return found;
    try {
      return await run(deps, { ...call, actor, subject: found.value });
    } catch (fault) {
      if (fault instanceof ActionRefused) return refuse(fault.code, fault.message);
      if (fault instanceof ReadFault) return refuse('busy', readFaultText(fault.kind));
      throw fault;
    }
  }

  return Object.assign(operate, { route });
}

function isRefusal(found: unknown): found is OperationRefusal {
  return typeof found === 'object' && found !== null && 'ok' in found;
}

/** Returns why an actor may not run an operation; undefined when the actor may. */
function refuseActor(
  actor: Actor,
  { permission, confirm }: { permission: Permission; confirm: true | undefined },
  now: EpochMs,
): OperationRefusal | undefined {
  if (!can(actor, permission)) {
    if (actor.kind === 'person') return refuse('forbidden', `the role ${actor.role} may not do this`);
    if (actor.kind === 'key') return refuse('forbidden', 'the key may not do this');
    return refuse('forbidden', 'this needs a person: sign in with "dialtill staff sign-in"');
  }
  if (!confirm || actor.kind !== 'person' || isConfirmed(actor, now)) return undefined;
  return refuse(
    'confirmation_required',
    'this needs the password and a code, entered within five minutes: sign in again with "dialtill staff sign-in", or use the console',
  );
}
