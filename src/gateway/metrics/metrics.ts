import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Rejection } from '../collection/opening/rejection.ts';
import type { QuoteOutcome } from '../collection/quote/quote.ts';
import type { LookupOutcome } from '../lookup/lookup.ts';

/*
 * Labels are ids of the configuration and words of closed sets, so that the number of series is bounded: never a
 * number, a session, a reference or a name.
 */

/** What happened, told by whoever saw it. Times are milliseconds. Nothing here waits, and nothing throws. */
export type Metrics = {
  /** A payer's request was answered, within `ms`. */
  turn(channel: string, reply: 'continue' | 'end', ms: number): void;
  /** A payer agreed, and it was written down. */
  opened(merchant: string): void;
  /** A payer confirmed, and the gateway opened no collection. */
  rejected(merchant: string, reason: Rejection): void;
  /** A payer was shown what there is already, instead of the menu or of the last screen. */
  redialled(merchant: string, shown: 'payment' | 'resume' | 'duplicate'): void;
  lookedUp(merchant: string, outcome: LookupOutcome, ms: number): void;
  quoted(merchant: string, outcome: QuoteOutcome, ms: number): void;
  /** An attendant asked how a collection stands. */
  statusAsked(merchant: string, state: 'waiting' | 'paid' | 'failed' | 'unknown' | 'not_found'): void;
  /** The service rejected a call because of the merchant's key. */
  keyRejected(merchant: string): void;
  /** All of it in Prometheus' text format, with what Node says of the process. */
  text(): Promise<string>;
  readonly contentType: string;
};

/** How the gateway stands at the moment of a scrape. */
export type GatewayState = {
  isReady: boolean;
  isDiskFull: boolean;
  isRecovering: boolean;
  /**
   * Events that tell of money and have no collection, by merchant; who is not named has none. `undefined` where nobody
   * can tell.
   */
  unmatched: ReadonlyMap<string, number> | undefined;
};

const idle: GatewayState = { isReady: false, isDiskFull: false, isRecovering: false, unmatched: new Map() };

/** Ids of the configuration, whose series are there from the start: what no longer happens needs a zero to begin with. */
type Known = { channels: Iterable<string>; merchants: Iterable<string> };

/**
 * Counts what the gateway does, in memory, from zero.
 *
 * @param stateNow asked at each scrape.
 */
export function createMetrics(
  known: Known = { channels: [], merchants: [] },
  stateNow: () => Promise<GatewayState> = async () => idle,
): Metrics {
  const registry = new Registry();
  const counter = <L extends string>(name: string, help: string, labelNames: L[]) =>
    new Counter({ name: `dialtill_${name}_total`, help, labelNames, registers: [registry] });
  const times = (name: string, help: string, buckets: number[]) => {
    const histogram = new Histogram({
      name: `dialtill_${name}_seconds`,
      help,
      buckets,
      registers: [registry],
    });
    return (ms: number) => histogram.observe(ms / 1000);
  };

  const turns = counter('turns', "Payers' requests that were answered.", ['channel', 'reply']);
  const turnTime = times(
    'turn',
    'From a request to its answer.',
    [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8],
  );
  const opened = counter('collections_opened', 'Collections that payers agreed to.', ['merchant']);
  const rejected = counter('rejections', 'Confirmations that opened no collection.', ['merchant', 'reason']);
  const redials = counter('redials', 'Screens that showed what there was already.', ['merchant', 'shown']);
  const lookups = counter('lookups', "Questions to merchants' systems.", ['merchant', 'outcome']);
  const lookupTime = times(
    'lookup',
    "From a question to a merchant's system to what came of it.",
    [0.025, 0.05, 0.1, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 2],
  );
  const quotes = counter('quotes', 'Quotes that were asked for.', ['merchant', 'outcome']);
  const quoteTime = times(
    'quote',
    'From asking for a quote to what came of it.',
    [0.025, 0.05, 0.1, 0.25, 0.5, 0.75, 1, 2, 5, 10],
  );
  const statusQuestions = counter('status_questions', 'What attendants were told.', ['merchant', 'state']);
  const keyRejections = counter(
    'key_rejections',
    "Calls that the service rejected because of the merchant's key.",
    ['merchant'],
  );
  const gauge = <L extends string>(name: string, help: string, labelNames: L[] = []) =>
    new Gauge({ name: `dialtill_${name}`, help, labelNames, registers: [registry] });
  const ready = gauge('ready', 'Whether payers and events can be sent here.');
  const diskFull = gauge('disk_full', 'Whether the last write found no space.');
  const recovering = gauge('recovering', 'Whether a restored copy is being caught up.');
  const unmatched = gauge('unmatched_payments', 'Payments of the last day without a collection.', [
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

  async function look(): Promise<void> {
    const found = await stateNow();
    ready.set(Number(found.isReady));
    diskFull.set(Number(found.isDiskFull));
    recovering.set(Number(found.isRecovering));
    // What was true a while ago is not told as if it were now.
    unmatched.reset();
    if (!found.unmatched) return;
    for (const merchant of merchants) unmatched.set({ merchant }, found.unmatched.get(merchant) ?? 0);
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
    statusAsked: (merchant, state) => statusQuestions.inc({ merchant, state }),
    keyRejected: (merchant) => keyRejections.inc({ merchant }),
    async text() {
      await look();
      // It samples the event loop for as long as the process lives: not before somebody looks.
      if (!isProcessMeasured) collectDefaultMetrics({ register: registry });
      isProcessMeasured = true;
      const text = await registry.metrics();
      // The library's own spelling is not the format's, which some readers refuse as a whole.
      return text.replaceAll(/ Nan$/gm, ' NaN');
    },
    contentType: registry.contentType,
  };
}
