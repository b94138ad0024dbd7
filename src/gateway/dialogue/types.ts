import type { Menu } from '../../menu/schema.ts';
import type { Effect, LookupAnswer, MenuState, PaymentSummary } from '../../menu/state/state.ts';
import type { Clock, EpochMs } from '../../shared/clock.ts';
import type { Ids } from '../../shared/ids.ts';
import type { Msisdn, Operator } from '../../shared/msisdn.ts';
import type { TextStyle } from '../../shared/screen-text.ts';
import type { Suspensions } from '../../shared/suspensions.ts';
import type { UssdRequest } from '../../shared/ussd.ts';
import type { Write } from '../../sqlite/store.ts';
import type { ServiceHealth } from '../collection/calls/service-health.ts';
import type { CollectionIntent } from '../collection/collection.ts';
import type { Limits, Rejection } from '../collection/opening/limits.ts';
import type { Quotes } from '../collection/quote/quote.ts';
import type { CollectionStore } from '../collection/store/collection-store.ts';
import type { RequestKind } from './classify-request.ts';
import type { DiallerSetting, DiallerStore } from './dialler-store.ts';
import type { LastTurn, SessionHistory, TurnStore } from './turn-store.ts';

/** One rented service code behind one aggregator, as far as its dialogues depend on it. */
export type Channel = {
  id: string;
  /** True when the aggregator numbers the requests of a session, so that a repeat is recognised by its number. */
  sequenced: boolean;
  style: TextStyle;
  /** The aggregator's time limit for a reply. */
  replyWithinMs: number;
  /** How long a prompt waits after the END screen, per operator. */
  promptDelayMs: Readonly<Record<Operator, number>>;
  merchant: {
    id: string;
    name: string;
    livemode: 0 | 1;
    menu: Menu;
    /** The menus before it, by fingerprint: dialogues that one of them started continue with it. None when absent. */
    earlierMenus?: ReadonlyMap<string, Menu> | undefined;
    timeZone: string;
    /** Numbers of the people who work for the merchant. */
    attendants: ReadonlySet<Msisdn>;
  };
};

export type DialogueDeps = {
  turns: TurnStore;
  diallers: DiallerStore;
  collections: Pick<
    CollectionStore,
    'find' | 'recent' | 'findDuplicate' | 'findByShortReference' | 'findRejection' | 'findOpen' | 'adopt'
  >;
  quotes: Pick<Quotes, 'ask' | 'find' | 'isRejected'>;
  /** Sends a lookup, or a request of a proxy screen, to the merchant's own system. Resolves within `budgetMs` and never rejects. */
  lookup(
    merchantId: string,
    effect: Extract<Effect, { kind: 'lookup' | 'proxy' }> & {
      /** Returns why the menu cannot use an answer; `undefined` when it can. */
      problemOf(fields: object): string | undefined;
    },
    budgetMs: number,
  ): Promise<LookupAnswer>;
  /** True when the service answers the calls of a merchant. */
  health: Pick<ServiceHealth, 'isRefusing' | 'isWarning' | 'tryProbe'>;
  /** Returns the writes that notify the merchant's system of a new collection; absent when nothing does. */
  notifyOpened?: ((intent: CollectionIntent) => Write[]) | undefined;
  /** How long a request can have waited while this process was suspended; absent where no other gateway continues its session. */
  suspensions?: Pick<Suspensions, 'waitedMs'> | undefined;
  settings: DialogueSettings;
  metrics: DialogueMetrics;
  clock: Clock;
  ids: Ids;
};

export type DialogueSettings = {
  /** A session without a request for this long is over. */
  dialogueLifetimeMs: number;
  /** Without a sequence, the same input within this time is a repeat. */
  repeatWindowMs: number;
  /** How long a collection is recent. */
  recentPaymentMs: number;
  /** How long an interrupted dialogue can be resumed. */
  resumeWindowMs: number;
  /** A second payment of the same payer, amount and reference within this time needs its own confirmation. */
  duplicateWindowMs: number;
  /** The largest budget of one lookup. */
  lookupTimeoutMs: number;
  /** The largest budget of one quote; 0 disables quotes. */
  quoteTimeoutMs: number;
  promptDeadlineMs: number;
  /** The service's network code for each operator; null where the service does not offer it. */
  networks: Readonly<Record<Operator, string | null>>;
  /** How to approve a prompt by hand, per operator. */
  approvals: Readonly<Record<Operator, string>>;
  limits: Limits;
  /** The name of this gateway, where several use one database; null otherwise. */
  home: string | null;
};

/** Counts the outcomes of turns. */
export type DialogueMetrics = {
  opened(merchantId: string): void;
  rejected(merchantId: string, reason: Rejection): void;
  /** Counts a built-in screen that was shown because of an earlier payment or dialogue. */
  redialled(merchantId: string, shown: 'payment' | 'resume' | 'duplicate'): void;
  statusAsked(merchantId: string, state: PaymentSummary['state'] | 'not_found'): void;
};

/** The data that one turn reads about its dialler from the database. */
export type DiallerContext = {
  /** Reads, once per turn, the recent collections that the dialler pays or started, newest first. */
  recent(): Promise<readonly PaymentSummary[]>;
  /** The default one when no screen of the turn depends on it. */
  setting: DiallerSetting;
  /** The data of the start of a dialogue; absent on later turns. `lastTurn`: at this merchant, on any channel. */
  start: { recent: readonly PaymentSummary[]; lastTurn: LastTurn | undefined } | undefined;
};

/** Why the database rejected the last attempt of this turn to open a collection. */
export type PreviousAttempt = {
  rejection?: Rejection;
  /** How many short references belonged to other collections. */
  takenReferences: number;
  /** The dialler's collection that is open for the same payer. */
  open?: PaymentSummary;
};

/** One request that starts or advances a dialogue, and everything that was read for it. */
export type Turn = {
  /** With the menu of the dialogue. */
  channel: Channel;
  request: UssdRequest;
  dialogueId: string;
  requestKind: Exclude<RequestKind, { kind: 'lost' }>;
  /** The state of the dialogue that an input continues; absent at the start of one. */
  state?: MenuState | undefined;
  history: SessionHistory;
  diallerContext: DiallerContext;
  now: EpochMs;
  /** The time by which every effect must have ended. */
  deadline: EpochMs;
  previousAttempt: PreviousAttempt;
  /** The last turn is remembered and was not read, and another gateway can have written a later one. */
  mayBeStale: boolean;
};
