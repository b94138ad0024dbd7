import type { EpochMs } from '../../shared/clock.ts';
import { unreachable } from '../../shared/errors.ts';
import type { Entry, UssdRequest } from '../../shared/ussd.ts';

/** The fields of the last turn that classify a request. */
export type ClassifiedTurn = {
  /** Not null on an end notice. */
  ending: string | null;
  input: string | null;
  position: string | null;
  reply: 'continue' | 'end';
  at: EpochMs;
};

/** The turns of a session that classify a request. */
export type SessionState = {
  last: ClassifiedTurn | undefined;
  /** The turn of the dialogue before the last one that answered the same request. */
  earlier: object | undefined;
};

/**
 * The meaning of a request in its session.
 *
 * - `start`: a new dialogue, with the dialled suffix.
 * - `advance`: the next input of the live dialogue.
 * - `repeat`: a request that was answered before, by the `last` turn or by the `earlier` one at the same position.
 * - `lost`: an input that belongs to no dialogue.
 */
export type RequestKind =
  | { kind: 'start'; suffix: readonly string[] }
  | { kind: 'advance'; input: string }
  | { kind: 'repeat'; of: 'last' | 'earlier' }
  | { kind: 'lost' };

export type ClassifySettings = {
  dialogueLifetimeMs: number;
  repeatWindowMs: number;
  sequenced: boolean;
  /** The last input turned the page, and the screen offers it to turn the page again. */
  turnsAgain?: boolean;
  /** Several gateways write the turns of a session, all by the same clock. */
  isShared: boolean;
};

/** When a request can have arrived, by the clock of the turns, and the time now. */
export type Arrival = { earliest: EpochMs; latest: EpochMs; now: EpochMs };

/** Answers in a dialled suffix. The rest of a longer suffix is ignored. */
const maxSuffixLength = 10;

const repeatOfLast = { kind: 'repeat', of: 'last' } as const;
const repeatOfEarlier = { kind: 'repeat', of: 'earlier' } as const;

/**
 * The position that a request claims in its session: the cumulative text, or the aggregator's mark. It is stored with
 * the turn and identifies a repeat.
 */
export function findPosition({ entry, mark }: Pick<UssdRequest, 'entry' | 'mark'>): string | null {
  return entry.kind === 'cumulative' ? entry.text : (mark ?? null);
}

/** The input that a request states; null for a cumulative text, whose last input depends on the turn before. */
export function findInput({ entry }: Pick<UssdRequest, 'entry'>): string | null {
  switch (entry.kind) {
    case 'dialled':
      return entry.suffix.slice(0, maxSuffixLength).join('*');
    case 'typed':
      return entry.input;
    case 'cumulative':
      return null;
    default:
      return unreachable(entry);
  }
}

/**
 * Distinguishes a repeat from a new step. A cumulative text, or a mark with its input, identifies a repeat by itself. Where only
 * the last input arrives, the same input within the repeat window is a repeat: it is faster than a payer can read and type. So is any
 * input that arrived before the last turn was written: it waited at this gateway while another one continued the session.
 *
 * A dial after answers, or after the end, is a new dialogue once the repeat window is over: aggregators use a session id again.
 *
 * Some requests show only together with the session whether they are the first one: a text that begins with the service code, or
 * a mark that later requests have too. They start a dialogue where none is live, and are inputs otherwise.
 */
export function classifyRequest(
  request: Pick<UssdRequest, 'session' | 'dialler' | 'entry' | 'mark'>,
  { last, earlier }: SessionState,
  arrival: Arrival,
  settings: ClassifySettings,
): RequestKind {
  const { entry, mark, session, dialler } = request;
  if (!last) return first(entry);
  // The system clock may have been set back between two processes, so the age can be negative.
  const age = distance(last.at, arrival);
  const hasEnded = last.reply === 'end';
  const isLive = age <= settings.dialogueLifetimeMs;
  const isRecent = age <= settings.repeatWindowMs;
  // Without a session id the number is the session, so a dial after the end is a new dialogue.
  const hasSessionId = session !== dialler;
  const compared: ComparedRequest = {
    mark,
    last,
    hasEarlier: earlier !== undefined,
    hasSessionId,
    hasEnded,
    isLive,
    isRecent,
    isOver: !isLive || (hasEnded && !hasSessionId && (!isRecent || last.ending !== null)),
    isLast: (mark ?? null) === last.position && isInput(entry, last.input),
  };
  switch (entry.kind) {
    case 'dialled':
      return classifyDialled(entry, compared);
    case 'typed':
      return classifyTyped(entry, compared, arrival, settings);
    case 'cumulative':
      return classifyCumulative(entry, compared);
    default:
      return unreachable(entry);
  }
}

/** A request compared with the turns of its session. */
type ComparedRequest = {
  mark: string | undefined;
  last: ClassifiedTurn;
  hasEarlier: boolean;
  hasSessionId: boolean;
  hasEnded: boolean;
  /** A dialogue can still be live: its last turn is within the lifetime of a dialogue. */
  isLive: boolean;
  /** The last turn is within the repeat window. */
  isRecent: boolean;
  /** A dial starts a new dialogue. */
  isOver: boolean;
  /** The request has the mark and the input of the last turn. */
  isLast: boolean;
};

type EntryOf<Kind extends Entry['kind']> = Extract<Entry, { kind: Kind }>;

function classifyDialled(entry: EntryOf<'dialled'>, compared: ComparedRequest): RequestKind {
  const { mark, last, hasEarlier, hasSessionId, hasEnded, isLive, isRecent, isLast } = compared;
  // A redial starts a new dialogue, also directly after the end notice of the dialogue before.
  if (!hasSessionId) return isRecent && last.ending === null ? repeatOfLast : first(entry);
  if (isLive && isLast && !hasEnded) return repeatOfLast;
  if (!isRecent) return first(entry);
  if (hasEarlier) return repeatOfEarlier;
  return mark === undefined || isLast ? repeatOfLast : first(entry);
}

function classifyTyped(
  entry: EntryOf<'typed'>,
  { mark, last, hasEarlier, hasEnded, isLive, isRecent, isOver, isLast }: ComparedRequest,
  arrival: Arrival,
  { sequenced, turnsAgain, isShared }: ClassifySettings,
): RequestKind {
  const numbersBeginAgain = (entry.suffix || entry.isFirst) && isBefore(mark, last.position);
  const opensAgain = entry.isFirst && hasEnded && !isInput(entry, last.input);
  const startsAgain = !isRecent && (numbersBeginAgain || opensAgain);
  if (!isLive || (isOver && entry.suffix) || startsAgain) return first(entry);
  if (mark !== undefined && isLast) return repeatOfLast;
  if (hasEarlier) return repeatOfEarlier;
  const isLate = sequenced && isBefore(mark, last.position);
  const isSameInput = !sequenced && !turnsAgain && isRecent && isInput(entry, last.input);
  // A turn of the future was written by another clock, which proves nothing about this request.
  const isAfter = arrival.earliest < last.at && last.at <= arrival.now;
  const isOvertaken = isShared && !sequenced && isAfter;
  return hasEnded || isLate || isSameInput || isOvertaken
    ? repeatOfLast
    : { kind: 'advance', input: entry.input };
}

function classifyCumulative(
  entry: EntryOf<'cumulative'>,
  { last, hasEarlier, hasEnded, isLive, isRecent, isOver }: ComparedRequest,
): RequestKind {
  const typed = last.position ?? '';
  const isDial = entry.text === '' || entry.suffix?.length === 0;
  if (!isLive || (isOver && isDial)) return isDial || entry.suffix ? first(entry) : { kind: 'lost' };
  // Also the sub-code after a text without it: this aggregator sends the code in no text.
  const answer = hasEnded ? undefined : addedAnswer(entry, typed, last);
  if (answer !== undefined) return { kind: 'advance', input: answer };
  // Neither more than the last text nor a part of it: other answers were dialled in a session whose id is used again.
  const isOther = !beginsWith(entry.text, typed) && !beginsWith(typed, entry.text);
  const isNewDial = isDial ? typed !== entry.text || hasEnded : entry.suffix && !hasEarlier && isOther;
  if (isNewDial && !isRecent) return first(entry);
  return hasEarlier && entry.text !== last.position ? repeatOfEarlier : repeatOfLast;
}

/** True when the request states the input of a turn: as it is, or as the dialled suffix that it can be. */
function isInput(entry: Entry, input: string | null): boolean {
  if (entry.kind !== 'typed') return findInput({ entry }) === (input ?? '');
  return entry.input === input || entry.suffix?.join('*') === (input ?? '');
}

/**
 * Returns what a cumulative text adds to the last turn; `undefined` when it does not follow that turn. The text after a dial can have
 * the code or its end where the dial has not, so the reading that adds one answer is preferred.
 */
function addedAnswer(
  { text, suffix }: EntryOf<'cumulative'>,
  typed: string,
  { input }: Pick<ClassifiedTurn, 'input'>,
): string | undefined {
  const prefix = typed === '' ? '' : `${typed}*`;
  const added = [text, ...(suffix ? [suffix.join('*')] : [])]
    .filter((reading) => reading !== typed && reading.startsWith(prefix))
    .map((reading) => reading.slice(prefix.length));
  // A dial without answers was the code or its end, which later texts can lack.
  const isFirstAnswer = input === null && !suffix && !typed.startsWith(text) && !text.includes('*');
  return added.find((one) => !one.includes('*')) ?? added[0] ?? (isFirstAnswer ? text : undefined);
}

/** True when a text begins with all the answers of another one: `1*20` with `1`, but not `12`. */
function beginsWith(text: string, other: string): boolean {
  return other === '' || `${text}*`.startsWith(`${other}*`);
}

/** The time between a turn and an arrival: 0 when the turn can have been written before or after it. */
function distance(at: EpochMs, { earliest, latest }: Arrival): number {
  return Math.max(0, at - latest, earliest - at);
}

/** True when both are numbers and the mark is smaller: a later request overtook this one. */
function isBefore(mark: string | undefined, lastPosition: string | null): boolean {
  return numberOf(mark) < numberOf(lastPosition);
}

function numberOf(text: string | null | undefined): number {
  return /^\d{1,15}$/.test(String(text)) ? Number(text) : Number.NaN;
}

/** The kind of the first request of a session. */
function first(entry: Entry): RequestKind {
  const suffix = firstAnswers(entry);
  return suffix ? { kind: 'start', suffix: suffix.slice(0, maxSuffixLength) } : { kind: 'lost' };
}

/** The parts of an entry that can show a first request. */
type FirstEntry = { suffix?: readonly string[]; text?: string; isFirst?: true };

/** The dialled answers of the first request of a session; `undefined` when the request cannot be the first one. */
function firstAnswers({ suffix, text, isFirst }: FirstEntry): readonly string[] | undefined {
  if (suffix) return suffix;
  return isFirst || text === '' ? [] : text?.split('*');
}
