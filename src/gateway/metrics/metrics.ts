import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { CallOutcome } from '../collection/calls/provider.ts';
import type { ReasonClass, Status } from '../collection/collection.ts';
import type { CallName } from '../collection/fact.ts';
import type { Rejection } from '../collection/opening/limits.ts';
import type { CollectionSummary } from '../collection/payment-summary.ts';
import type { QuoteOutcome } from '../collection/quote/quote.ts';
import type { LookupOutcome } from '../lookup/lookup.ts';
import { createStateGauges, type GatewayState } from './state-gauges.ts';

export type { GatewayState };

/*
 * Labels are ids of the configuration and values of fixed sets, so that the number of series is bounded. No label
 * contains a phone number, a session, a reference or a name.
 */

/** The result of a webhook: `hint` is a stale event, whose signature is old; `forged` has a wrong signature. */
export type ReceiptKind = 'stored' | 'duplicate' | 'hint' | 'forged' | 'unreadable';

/** The counters of the gateway. Durations are in milliseconds. Recording is synchronous and never throws. */
export type Metrics = {
  /** A request of a payer was answered after `ms`. */
  turn(channel: string, reply: 'continue' | 'end', ms: number): void;
  /** The network in a request has a name that no operator has. */
  networkUnlisted(channel: string): void;
  /** A payer confirmed, and a collection was opened. */
  opened(merchant: string): void;
  /** A payer confirmed, and the gateway opened no collection. */
  rejected(merchant: string, reason: Rejection): void;
  /** A built-in screen was shown instead of the menu's next screen. */
  redialled(merchant: string, shown: 'payment' | 'resume' | 'duplicate'): void;
  lookedUp(merchant: string, outcome: LookupOutcome, ms: number): void;
  quoted(merchant: string, outcome: QuoteOutcome, ms: number): void;
  /** An attendant requested the state of a collection. */
  statusAsked(merchant: string, state: CollectionSummary['state'] | 'not_found'): void;
  /** A call to the service ended after `ms`. */
  called(merchant: string, call: CallName, outcome: CallOutcome<unknown>['kind'], ms: number): void;
  /** A collection got a status that ends it, or a person must decide, `ms` after its confirmation. */
  closed(merchant: string, status: Status, reason: ReasonClass, ms: number): void;
  /** A webhook was received. `merchant` is undefined when the address names none of the configuration. */
  received(merchant: string | undefined, outcome: ReceiptKind): void;
  /** A notification was sent to a merchant's system. */
  notified(merchant: string, outcome: 'delivered' | 'failed'): void;
  /** A transaction was committed in `ms`. */
  committed(ms: number): void;
  /** The service rejected a call because of the merchant's key. */
  keyRejected(merchant: string): void;
  /** Returns all metrics in the text format of Prometheus, with the metrics of the Node process. */
  text(): Promise<string>;
  readonly contentType: string;
};

/** The state of a gateway that has read nothing yet. */
export const notReady: GatewayState = {
  ...{ isReady: false, isDiskFull: false, isRecovering: false },
  ...{ unplaced: new Map(), unplacedMinor: new Map(), unconfirmed: new Map() },
  ...{ failingEndpoints: new Map(), disabledEndpoints: new Map() },
  ...{ open: new Map(), oldestOpenSeconds: new Map(), reviews: new Map(), oldestReviewSeconds: new Map() },
  ...{
    unsealedSeconds: 0,
    suspenseMinor: 0,
    lastBackupAgeSeconds: undefined,
    lagSeconds: new Map([
      ['collections', 0],
      ['inbox', 0],
      ['notifications', 0],
    ]),
    unavailable: new Map(),
    rateLimited: new Map(),
    today: undefined,
  },
};

/** Ids whose series exist from the start with 0, so that alerts detect when nothing happens. */
type KnownIds = {
  channels: Iterable<string>;
  merchants: Iterable<string>;
  /** The running program: the versions of the program and of Node, and the engine of the ledger. */
  build?: { version: string; node: string; database: 'sqlite' | 'postgres' };
};

/** Creates the metrics of one gateway. Counters are in memory and start at 0. @param readState called at each scrape. */
export function createMetrics(
  known: KnownIds = { channels: [], merchants: [] },
  readState: () => Promise<GatewayState> = async () => notReady,
): Metrics {
  const registry = new Registry();
  const counter = <L extends string>(name: string, help: string, labelNames: L[]) =>
    new Counter({ name: `dialtill_${name}_total`, help, labelNames, registers: [registry] });
  const histogram = <L extends string>(name: string, help: string, buckets: number[], labelNames: L[] = []) =>
    new Histogram({ name: `dialtill_${name}_seconds`, help, buckets, labelNames, registers: [registry] });
  const durations = (name: string, help: string, buckets: number[]) => {
    const one = histogram(name, help, buckets);
    return (ms: number): void => one.observe(ms / 1000);
  };

  const turns = counter('turns', 'Answered requests of payers.', ['channel', 'reply']);
  const unlistedNetworks = counter('unlisted_networks', 'Requests that named an unknown network.', [
    'channel',
  ]);
  const turnTime = durations(
    'turn',
    'Duration from a request to its reply.',
    [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8],
  );
  const opened = counter('collections_opened', 'Collections that payers confirmed.', ['merchant']);
  const rejected = counter('rejections', 'Confirmations that opened no collection.', ['merchant', 'reason']);
  const redials = counter('redials', 'Built-in screens shown instead of the next screen of the menu.', [
    'merchant',
    'shown',
  ]);
  const lookups = counter('lookups', "Lookups in merchants' systems.", ['merchant', 'outcome']);
  const lookupTime = durations(
    'lookup',
    'Duration of a lookup.',
    [0.025, 0.05, 0.1, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 2],
  );
  const quotes = counter('quotes', 'Requested quotes.', ['merchant', 'outcome']);
  const quoteTime = durations(
    'quote',
    'Duration of a quote.',
    [0.025, 0.05, 0.1, 0.25, 0.5, 0.75, 1, 2, 5, 10],
  );
  const statusRequests = counter('status_requests', 'Payment statuses shown to attendants.', [
    'merchant',
    'state',
  ]);
  const keyRejections = counter(
    'key_rejections',
    "Calls that the service rejected because of the merchant's key.",
    ['merchant'],
  );
  const calls = counter('calls', 'Calls to the service, quotes included.', ['merchant', 'call', 'outcome']);
  const closed = counter('collections_closed', 'Collections that ended, or that a person must decide.', [
    'merchant',
    'status',
    'reason',
  ]);
  const callTime = histogram(
    'call',
    'Duration of a call to the service.',
    [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 20],
    ['call'],
  );
  const resultTime = durations(
    'time_to_result',
    'Time from the confirmation of a payment to its result.',
    [5, 10, 20, 30, 60, 120, 300, 900, 3_600, 14_400, 86_400],
  );
  const commitTime = durations(
    'commit',
    'Duration of a commit of the ledger, with its fsync.',
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
  );
  const webhooks = counter('webhooks', 'Webhooks of the service, or of a stranger.', ['merchant', 'outcome']);
  const notifications = counter('notifications', "Attempts to notify merchants' systems.", [
    'merchant',
    'outcome',
  ]);
  const buildInfo = new Gauge({
    name: 'dialtill_build_info',
    help: 'Always 1; the labels tell what runs.',
    labelNames: ['version', 'node', 'database'],
    registers: [registry],
  });
  if (known.build) buildInfo.set(known.build, 1);
  const merchants = [...known.merchants];
  const setGauges = createStateGauges(registry, merchants);

  for (const channel of known.channels) {
    for (const reply of ['continue', 'end']) turns.inc({ channel, reply }, 0);
    unlistedNetworks.inc({ channel }, 0);
  }
  for (const merchant of merchants) {
    opened.inc({ merchant }, 0);
    keyRejections.inc({ merchant }, 0);
    webhooks.inc({ merchant, outcome: 'stored' }, 0);
    notifications.inc({ merchant, outcome: 'delivered' }, 0);
  }

  let isProcessMeasured = false;
  return {
    turn(channel, reply, ms) {
      turns.inc({ channel, reply });
      turnTime(ms);
    },
    networkUnlisted: (channel) => unlistedNetworks.inc({ channel }),
    opened: (merchant) => opened.inc({ merchant }),
    rejected: (merchant, reason) => rejected.inc({ merchant, reason }),
    redialled: (merchant, shown) => redials.inc({ merchant, shown }),
    lookedUp(merchant, outcome, ms) {
      lookups.inc({ merchant, outcome });
      lookupTime(ms);
    },
    quoted(merchant, outcome, ms) {
      quotes.inc({ merchant, outcome });
      quoteTime(ms);
    },
    statusAsked: (merchant, state) => statusRequests.inc({ merchant, state }),
    called(merchant, call, outcome, ms) {
      calls.inc({ merchant, call, outcome });
      callTime.observe({ call }, ms / 1000);
    },
    closed(merchant, status, reason, ms) {
      closed.inc({ merchant, status, reason });
      resultTime(ms);
    },
    // Strangers choose the merchant of an address, so an unknown one has no label of its own.
    received: (merchant = 'none', outcome) => webhooks.inc({ merchant, outcome }),
    notified: (merchant, outcome) => notifications.inc({ merchant, outcome }),
    committed: commitTime,
    keyRejected: (merchant) => keyRejections.inc({ merchant }),
    async text() {
      setGauges(await readState());
      // Sampling of the event loop starts with the first scrape, because it runs until the process ends.
      if (!isProcessMeasured) collectDefaultMetrics({ register: registry });
      isProcessMeasured = true;
      const text = await registry.metrics();
      // The library writes `Nan`; the format requires `NaN`, and some readers reject the whole response otherwise.
      return text.replaceAll(/ Nan$/gm, ' NaN');
    },
    contentType: registry.contentType,
  };
}
