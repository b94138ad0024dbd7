import type { z } from 'zod';
import type { Clock } from '../../shared/clock.ts';
import type { Ids } from '../../shared/ids.ts';
import type { AccountStore } from '../accounts/account-store.ts';
import type { ReconcileDeps } from '../collection/reconcile.ts';
import type { CollectionStore } from '../collection/store/collection-store.ts';
import type { DaySums } from '../collection/store/day-query.ts';
import type { TimeSpan } from '../ledger/day.ts';
import type { LedgerStore } from '../ledger/ledger-store.ts';
import type { EndpointStore } from '../notify/endpoint-store.ts';
import type { NotificationStore } from '../notify/notification-store.ts';
import type { PaymentEvent } from '../notify/payment-events.ts';
import type { NotificationQueue } from '../notify/queue.ts';
import type { CollectionCursor, ReplayRange } from '../notify/replay-query.ts';
import type { SecretCipher } from '../notify/secret-cipher.ts';
import type { UnplacedFilter, UnplacedPage, UnplacedPageRequest } from '../unplaced/list-query.ts';
import type { Suggestion } from '../unplaced/suggestions-query.ts';
import type { UnplacedPayment } from '../unplaced/unplaced.ts';
import type { UnplacedStore } from '../unplaced/unplaced-store.ts';
import { ActionLimitReached } from './action-store.ts';
import type { BlockQuery } from './block-query.ts';
import type { DayClose } from './day-close-query.ts';
import type { MerchantKeyStore } from './merchant-key-store.ts';
import type { ProposalStore } from './proposal-store.ts';

/** What the operations on notification endpoints use. */
export type NotifyDeps = {
  endpoints: EndpointStore;
  notifications: NotificationStore;
  cipher: SecretCipher;
  queue: Pick<NotificationQueue, 'expect'>;
  replays: {
    listOpened(
      range: ReplayRange,
      page: { after: CollectionCursor | undefined; limit: number },
    ): Promise<CollectionCursor[]>;
    eventsOf(collectionId: string): Promise<PaymentEvent[]>;
  };
  isUrlAllowed(url: URL): boolean;
};

/** What the operations of support staff use. */
export type StaffDeps = {
  collections: CollectionStore;
  ledger: LedgerStore;
  proposals: ProposalStore;
  unplaced: UnplacedStore;
  unplacedLists: {
    list(filter: UnplacedFilter, page: UnplacedPageRequest): Promise<UnplacedPage | 'unknown_cursor'>;
    suggest(payment: UnplacedPayment, limit: number): Promise<Suggestion[]>;
  };
  /** What a decision about a collection uses. */
  reconcile: ReconcileDeps;
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
  accounts: AccountStore;
  /** Absent without `notify` in the configuration. */
  notifications: NotifyDeps | undefined;
  /** Returns whether the configuration has a merchant. */
  hasMerchant(merchantId: string): boolean;
  /** Returns the ids of all merchants of the configuration. */
  merchantIds(): readonly string[];
  /** Returns whether the demo lets everybody sign in with the account. */
  isOpenAccount(name: string): boolean;
  /** Reads the configuration again and applies it. @throws UserError when nothing was applied. */
  reload(): string[];
  clock: Clock;
  ids: Ids;
  livemode: 0 | 1;
  /** Called after a collection was made due, so that the worker does not wait for its next round. */
  onDue(): void;
};

/** Why an operation changed nothing. */
export type StaffFailureCode =
  | 'invalid_request'
  | 'not_found'
  | 'conflict'
  | 'too_early'
  | 'too_many_actions';

/** The result of an operation. The message of a failure states what to do. */
export type StaffAnswer<Value> =
  | { ok: true; value: Value }
  | { ok: false; code: StaffFailureCode; message: string };

export function refuse(code: StaffFailureCode, message: string): StaffAnswer<never> {
  return { ok: false, code, message };
}

/** Runs an operation. One that is beyond the bounds of what is recorded changes nothing, and is refused. */
export async function withinLimits<Answer>(run: () => Promise<Answer>): Promise<Answer | StaffAnswer<never>> {
  try {
    return await run();
  } catch (fault) {
    if (fault instanceof ActionLimitReached) return refuse('too_many_actions', fault.message);
    throw fault;
  }
}

/** One call of an operation: who calls, about what, and the input. */
export type StaffCall<Input> = {
  /** The name of the authenticated person. */
  actor: string;
  /** The id in the path; empty without one. */
  id: string;
  input: Input;
};

/**
 * An operation of support staff: the only way in which a person changes something. HTTP routes and pages call `run` and
 * nothing else.
 */
export type StaffOperation = {
  /** The method and the path under `/staff/v1`. An id in the path is called `:id`. */
  method: 'GET' | 'POST';
  path: string;
  /** Validates the input and does the work. The input is the body of a POST, or the query of a GET. */
  run(deps: StaffDeps, call: StaffCall<unknown>): Promise<StaffAnswer<unknown>>;
};

/** Creates an operation from its description. An invalid input is refused before the work starts. */
export function createOperation<Input>({
  input: schema,
  run,
  ...route
}: Pick<StaffOperation, 'method' | 'path'> & {
  input: z.ZodType<Input>;
  run(deps: StaffDeps, call: StaffCall<Input>): Promise<StaffAnswer<unknown>>;
}): StaffOperation {
  return {
    ...route,
    async run(deps, call) {
      const parsed = schema.safeParse(call.input);
      if (parsed.success) return withinLimits(() => run(deps, { ...call, input: parsed.data }));
      const [issue] = parsed.error.issues;
      const field = issue?.path.join('.');
      return refuse('invalid_request', `${field ? `${field}: ` : ''}${issue?.message ?? 'invalid input'}`);
    },
  };
}
