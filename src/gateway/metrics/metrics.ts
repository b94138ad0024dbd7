import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { CallOutcome } from '../collection/calls/outcome.ts';
import type { Status } from '../collection/collection.ts';
import type { CallName } from '../collection/fact.ts';
import type { Rejection } from '../collection/opening/rejection.ts';
import type { PaymentSummary } from '../collection/payment-summary.ts';
import type { QuoteOutcome } from '../collection/quote/quote.ts';
import type { ReasonClass } from '../collection/reason-class.ts';
import type { LookupOutcome } from '../lookup/lookup.ts';

/*
 * Labels are ids of the configuration and values of fixed sets, so that the number of series is bounded. No label
 * contains a phone number, a session, a reference or a name.
 */

/** The counters of the gateway. Durations are in milliseconds. Recording is synchronous and never throws. */
export type Metrics = {
  /** A request of a payer was answered after `ms`. */
  turn(channel: string, reply: 'continue' | 'end', ms: number): void;
  /** A payer confirmed, and a collection was opened. */
  opened(merchant: string): void;
  /** A payer confirmed, and the gateway opened no collection. */
  rejected(merchant: string, reason: Rejection): void;
  /** A built-in screen was shown instead of the menu's next screen. */
  redialled(merchant: string, shown: 'payment' | 'resume' | 'duplicate'): void;
  lookedUp(merchant: string, outcome: LookupOutcome, ms: number): void;
  quoted(merchant: string, outcome: QuoteOutcome, ms: number): void;
  /** An attendant requested the state of a collection. */
  statusAsked(merchant: string, state: PaymentSummary['state'] | 'not_found'): void;
  /** A call to the service ended. */
  called(merchant: string, call: CallName, outcome: CallOutcome<unknown>['kind']): void;
  /** A collection got a status that ends it, or a person must decide. */
  closed(merchant: string, status: Status, reason: ReasonClass): void;
  /** The service rejected a call because of the merchant's key. */
  keyRejected(merchant: string): void;
  /** Returns all metrics in the text format of Prometheus, with the metrics of the Node process. */
  text(): Promise<string>;
  readonly contentType: string;
};

/** The state of the gateway at a scrape. */
export type GatewayState = {
  isReady: boolean;
  isDiskFull: boolean;
  isRecovering: boolean;
  /** Unplaced payments by merchant; a merchant without an entry has none. `undefined` when the count failed. */
  unplaced: ReadonlyMap<string, number> | undefined;
  /** What of them is in suspense, in pesewas, like `unplaced`. */
  unplacedMinor: ReadonlyMap<string, number> | undefined;
  /** Unconfirmed payments by merchant, like `unplaced`. */
  unconfirmed: ReadonlyMap<string, number> | undefined;
  /** 1 for each merchant whose calls the service does not answer, like `unplaced`. */
  unavailable: ReadonlyMap<string, number>;
  /** 1 for each merchant whose calls the service limits, like `unplaced`. */
  rateLimited: ReadonlyMap<string, number>;
};

const notReady: GatewayState = {
  isReady: false,
  isDiskFull: false,
  isRecovering: false,
  unplaced: new Map(),
  unplacedMinor: new Map(),
  unconfirmed: new Map(),
  unavailable: new Map(),
  rateLimited: new Map(),
};

/** Ids whose series exist from the start with 0, so that alerts detect when nothing happens. */
type KnownIds = { channels: Iterable<string>; merchants: Iterable<string> };

/**
 * Creates the metrics of one gateway. Counters are in memory and start at 0.
 *
 * @param readState called at each scrape.
 */
export function createMetrics(
  known: KnownIds = { channels: [], merchants: [] },
  readState: () => Promise<GatewayState> = async () => notReady,
): Metrics {
  const registry = new Registry();
  const counter = <L extends string>(name: string, help: string, labelNames: L[]) =>
    new Counter({ name: `dialtill_${name}_total`, help, labelNames, registers: [registry] });
  const durations = (name: string, help: string, buckets: number[]) => {
    const histogram = new Histogram({
      name: `dialtill_${name}_seconds`,
      help,
      buckets,
      registers: [registry],
    });
    return (ms: number): void => histogram.observe(ms / 1000);
  };

  const turns = counter('turns', 'Answered requests of payers.', ['channel', 'reply']);
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
  const gauge = <L extends string>(name: string, help: string, labelNames: L[] = []) =>
    new Gauge({ name: `dialtill_${name}`, help, labelNames, registers: [registry] });
  const ready = gauge('ready', '1 while the gateway accepts payers and webhooks.');
  const diskFull = gauge('disk_full', '1 while the disk is full.');
  const recovering = gauge('recovering', '1 during the recovery after a restore.');
  const unplaced = gauge(
    'unplaced_payments',
    'Payments that no collection explains and that wait for a decision.',
    ['merchant'],
  );
  const unplacedMinor = gauge('unplaced_pesewas', 'Suspended amount of the unplaced payments, in pesewas.', [
    'merchant',
  ]);
  const unconfirmed = gauge('unconfirmed_payments', 'Payments that no poll has confirmed.', ['merchant']);

  const unavailable = gauge(
    'service_unavailable',
    '1 while the service does not answer the calls of the merchant.',
    ['merchant'],
  );
  const rateLimited = gauge('rate_limited', '1 while the calls of the merchant are paused after a 429.', [
    'merchant',
  ]);

  for (const channel of known.channels) {
    for (const reply of ['continue', 'end']) turns.inc({ channel, reply }, 0);
  }
  const merchants = [...known.merchants];
  for (const merchant of merchants) {
    opened.inc({ merchant }, 0);
    keyRejections.inc({ merchant }, 0);
  }

  async function updateGauges(): Promise<void> {
    const found = await readState();
    ready.set(Number(found.isReady));
    diskFull.set(Number(found.isDiskFull));
    recovering.set(Number(found.isRecovering));
    setCounts(unplaced, found.unplaced);
    setCounts(unplacedMinor, found.unplacedMinor);
    setCounts(unconfirmed, found.unconfirmed);
    setCounts(unavailable, found.unavailable);
    setCounts(rateLimited, found.rateLimited);
  }

  /** Sets the count of each merchant. An older count is removed when the current one is unknown. */
  function setCounts(one: Gauge<'merchant'>, counts: ReadonlyMap<string, number> | undefined): void {
    one.reset();
    if (!counts) return;
    for (const merchant of merchants) one.set({ merchant }, counts.get(merchant) ?? 0);
  }

  let isProcessMeasured = false;
  return {
    turn(channel, reply, ms) {
      turns.inc({ channel, reply });
      turnTime(ms);
    },
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
    called: (merchant, call, outcome) => calls.inc({ merchant, call, outcome }),
    closed: (merchant, status, reason) => closed.inc({ merchant, status, reason }),
    keyRejected: (merchant) => keyRejections.inc({ merchant }),
    async text() {
      await updateGauges();
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
