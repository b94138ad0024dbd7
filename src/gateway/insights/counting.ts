import { type UnpaidReason, unpaidReasons } from '../../contract/merchant/payment-reason.ts';
import type { EpochMs } from '../../shared/clock.ts';
import { attempt } from '../../shared/errors.ts';
import type { Ending } from '../../shared/ussd.ts';
import { type Collection, getStage } from '../collection/collection.ts';
import type { paymentTotal, screenTotal, turn } from '../database/schema.ts';

/** A turn as it is counted. `opens` is 1 when it opened a collection. */
export type CountedTurn = Pick<
  typeof turn.$inferSelect,
  | 'seq'
  | 'dialogueId'
  | 'merchantId'
  | 'channel'
  | 'input'
  | 'ending'
  | 'state'
  | 'reply'
  | 'collectionId'
  | 'at'
> & { opens: number };

/** How a dialogue ended without a payment. `unanswered` includes dialogues that are running. */
const leavingWays = [
  'hung_up',
  'timed_out',
  'unanswered',
  'chose_no',
  'refused_inputs',
  'limited',
  'already_waiting',
  'message',
  'ended',
] as const;
type LeavingWay = (typeof leavingWays)[number];

/** Kinds of inputs that a screen refused. The inputs themselves are not counted. */
const refusedKinds = ['comma', 'letters', 'below', 'above', 'not_found', 'option', 'other'] as const;
type RefusedKind = (typeof refusedKinds)[number];

/** Upper bounds of the counted times, in seconds. Longer times are counted under `over`. */
export const timeBounds = [2, 4, 6, 8, 11, 15, 20, 30, 45, 60, 90, 120, 180] as const;
type TimeBound = (typeof timeBounds)[number] | 'over';

/**
 * What is counted. On a screen: how often it was `shown`, in how many dialogues (`reached`), how often its payers went `back`, and how
 * many dialogues `opened` a collection or left from it. Of a dialogue as a whole: `begun`, `answered` at least once, and `opened`.
 * `time`: until the answer of a screen, or from the start of a dialogue to its confirmation.
 */
export type Measure =
  | 'begun'
  | 'answered'
  | 'opened'
  | 'shown'
  | 'reached'
  | 'back'
  | `left.${LeavingWay}`
  | `refused.${RefusedKind}`
  | `time.${TimeBound}`;

/** The sums of one hour or day on one screen. */
export type ScreenTotal = typeof screenTotal.$inferSelect;

const hourMs = 3_600_000;

/** Returns when the hour of a time begins, UTC. */
export const startOfHour = (at: EpochMs): EpochMs => Math.floor(at / hourMs) * hourMs;

/** A screen that was shown, as far as counting needs it. */
type Shown = {
  screen: string;
  language: string;
  invalidInputs: number;
  notice: string | undefined;
  depth: number;
  turn: CountedTurn;
};

/** The screen of a turn whose state cannot be read. It is counted, too. */
const unreadable = '(unreadable)';

/**
 * Counts one dialogue in the hour in which it began. Pure: the roll-up adds the difference between two counts of a dialogue, and the
 * audit compares the sums with a count of everything.
 *
 * @param turns all turns of the dialogue up to a row, in their order.
 */
export function countDialogue(turns: readonly CountedTurn[]): ScreenTotal[] {
  const [begin] = turns;
  if (!begin) return [];
  const shown = turns.filter(({ ending }) => ending === null).map(readShown);
  const [first] = shown;
  const last = shown.at(-1);
  if (!first || !last) return [];
  const { merchantId, channel } = begin;
  const counts: ScreenTotal[] = [];
  const count = (measure: Measure, screen = '', { language } = first) =>
    counts.push({
      ...{ unit: 'hour', start: startOfHour(begin.at), merchantId, channel },
      ...{ language, screen, measure, count: 1 },
    });
  count('begun');
  if (shown.length > 1) count('answered');
  const reached = new Set<string>();
  for (const [index, one] of shown.entries()) {
    const { screen, turn } = one;
    const previous = shown[index - 1];
    if (turn.reply === 'continue') {
      count('shown', screen, one);
      if (!reached.has(screen)) count('reached', screen, one);
      reached.add(screen);
    }
    const kind = findRefusal(previous, one);
    if (kind) count(`refused.${kind}`, (previous ?? one).screen, previous ?? one);
    if (!previous) continue;
    count(`time.${boundOf(turn.at - previous.turn.at)}`, previous.screen, previous);
    if (turn.reply === 'continue' && one.depth < previous.depth) count('back', previous.screen, previous);
  }
  const asked = last.turn.reply === 'continue' ? last : (shown.at(-2) ?? last);
  if (last.turn.opens === 1) {
    count('opened');
    count('opened', asked.screen, asked);
    count(`time.${boundOf(last.turn.at - begin.at)}`);
  } else {
    count(`left.${getLeavingWay(last, turns.at(-1)?.ending ?? null)}`, asked.screen, asked);
  }
  return counts;
}

function readShown(turn: CountedTurn): Shown {
  const state = attempt(() => JSON.parse(turn.state)) ?? {};
  const text = (value: unknown, none: string) => (typeof value === 'string' ? value : none);
  return {
    screen: text(state.screen, unreadable),
    language: text(state.language, ''),
    invalidInputs: typeof state.invalidInputs === 'number' ? state.invalidInputs : 0,
    notice: typeof state.notice === 'string' ? state.notice : undefined,
    depth: Array.isArray(state.history) ? state.history.length : 0,
    turn,
  };
}

/** Returns the kind of the input that a screen refused; `undefined` when it accepted the input. */
function findRefusal(previous: Shown | undefined, { screen, invalidInputs, notice, turn }: Shown) {
  const isAgain = invalidInputs > (previous?.screen === screen ? previous.invalidInputs : 0);
  const isRefused = isAgain || notice === 'notFound' || screen === '(invalid-inputs)';
  return isRefused ? getRefusedKind(turn.input ?? '', notice) : undefined;
}

const kindByNotice: Readonly<Record<string, RefusedKind>> = {
  amountTooSmall: 'below',
  numberTooSmall: 'below',
  amountTooLarge: 'above',
  numberTooLarge: 'above',
  notFound: 'not_found',
  invalidOption: 'option',
};

function getRefusedKind(input: string, notice = ''): RefusedKind {
  const known = kindByNotice[notice];
  if (known) return known;
  if (input.includes(',')) return 'comma';
  return /\p{L}/u.test(input) ? 'letters' : 'other';
}

const wayByEnding: Readonly<Record<Ending, LeavingWay>> = {
  cancelled: 'hung_up',
  timeout: 'timed_out',
  completed: 'hung_up',
  failed: 'hung_up',
  ended: 'hung_up',
};

const wayByScreen: Readonly<Record<string, LeavingWay>> = {
  '(cancelled)': 'chose_no',
  '(invalid-inputs)': 'refused_inputs',
  '(rejected)': 'limited',
  '(closed)': 'message',
  '(lost)': 'message',
};

function getLeavingWay({ screen, turn }: Shown, ending: string | null): LeavingWay {
  if (turn.reply === 'continue')
    return ending === null ? 'unanswered' : (wayByEnding[ending as Ending] ?? 'hung_up');
  return wayByScreen[screen] ?? (turn.collectionId === null ? 'ended' : 'already_waiting');
}

function boundOf(ms: number): TimeBound {
  return timeBounds.find((bound) => ms <= bound * 1_000) ?? 'over';
}

/** The sums of one hour or day of payments with one outcome. */
export type PaymentTotal = typeof paymentTotal.$inferSelect;

/** The present outcome of a payment. The codes of a service are open: an unlisted one is `other`. */
type PaymentOutcome = 'waiting' | 'paid' | 'review' | UnpaidReason | 'other';

/** Counts one payment in the hour in which it was opened. Pure, like `countDialogue`. */
export function countPayment(payment: Collection): PaymentTotal {
  const { merchantId, livemode, channel, network, openedAt, initiateSentAt, goodsMinor } = payment;
  const outcome = getCountedOutcome(payment);
  return {
    ...{ unit: 'hour', start: startOfHour(openedAt), merchantId, livemode, channel, network, outcome },
    ...{ payments: 1, prompted: initiateSentAt === null ? 0 : 1, priceMinor: goodsMinor },
    chargedMinor: outcome === 'paid' ? (payment.amountMinor ?? 0) : 0,
  };
}

const listed: ReadonlySet<string> = new Set(unpaidReasons);

/** Returns the outcome under which a payment is counted. */
export function getCountedOutcome(payment: Pick<Collection, 'status' | 'reason'>): PaymentOutcome {
  switch (getStage(payment)) {
    case 'unprompted':
    case 'prompted':
      return 'waiting';
    case 'paid':
      return 'paid';
    case 'review':
      return 'review';
    case 'unpaid':
      return listed.has(payment.reason ?? '') ? (payment.reason as UnpaidReason) : 'other';
  }
}
