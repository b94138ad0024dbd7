import { septets } from '../../shared/screen-text.ts';
import type { Menu } from '../schema.ts';
import { endStates } from '../state/state.ts';
import { callerHistoriesAt } from './caller-histories.ts';
import {
  type Approvals,
  asksWho,
  contextOf,
  type Kind,
  kindsOf,
  operatorsOf,
  otherNumber,
  type ProvenChannel,
} from './channel.ts';
import { effectResultsOf } from './effect-results.ts';
import type { Finding } from './finding.ts';
import { inputsOf } from './inputs.ts';
import { findTooLong, type Lengths, type Longest, longestOf, type Measured } from './lengths.ts';
import { measurePayment, measureTurn } from './measure.ts';
import { duplicatesIn } from './payments.ts';
import { emptyStructure, findInStructure, hopsOf, noteDoom, noteTurn, type Structure } from './structure.ts';
import { messageOf, type Turn } from './turn.ts';
import { findInTurn, findUnread } from './turn-findings.ts';
import { walkMenu } from './walk.ts';

/** Where and how a menu is used. */
export type Circumstances = {
  /** At least one. */
  readonly channels: readonly ProvenChannel[];
  readonly approvals: Approvals;
  /** The most inputs that the shortest way to an END may take. */
  readonly maxHops: number;
  /** How many visits one walk may take; far more than menus need, unless given. */
  readonly maxVisits?: number;
};

/** What is true of every way through a menu. */
export type Proof = {
  readonly findings: readonly Finding[];
  /** The screens that some input leads to. */
  readonly reached: ReadonlySet<string>;
  /** The screens from which some payers cannot reach an END. */
  readonly doomed: ReadonlySet<string>;
  /** How many different states were looked at. */
  readonly states: number;
  /** For each limit, and kind of channel where they differ; empty when the menu is too large. */
  readonly longest: readonly Longest[];
  /** The same for each screen, in each of its languages. */
  readonly lengths: readonly Longest[];
  /** Inputs to the farthest END by its shortest way, and by the longest one; `undefined` with too many ways to tell. */
  readonly hops: { readonly least: number; readonly most: number | undefined };
};

/** More room than any text needs: nothing is divided, nothing gives way. */
const unlimited = 100_000;

/**
 * Walks every way through a menu in every language, with the values that take the most room, on all its channels. Pure.
 *
 * The menu must have the shape of one, and patterns that can be read. What else a loaded menu is known to be, is proven.
 */
export function proveMenu(menu: Menu, around: Circumstances): Proof {
  const survey: Survey = { structure: emptyStructure(), findings: new Map(), states: new Set() };
  const measured: Measured[] = [];
  const longest: Longest[] = [];
  const lengths: Longest[] = [];
  let isWhole = true;
  for (const kind of kindsOf(around.channels)) {
    const known = proveKind(menu, withoutProven(kind, measured), around, survey);
    isWhole &&= known !== undefined;
    for (const one of known ?? []) {
      const shown = longestOf(one.lengths);
      measured.push(one);
      const { limit, isTight } = one;
      if (shown) longest.push({ ...shown, limit, isTight });
      lengths.push(...[...one.lengths.values()].map((of) => ({ ...of, limit, isTight })));
    }
  }
  const { structure, findings, states } = survey;
  // Of half a walk only what it did show can be told.
  const rest = isWhole ? findInStructure(menu, structure, around.maxHops) : [tooLarge];
  for (const finding of [...rest, ...findTooLong(measured)]) keep(survey, finding);
  return {
    findings: [...findings.values()],
    reached: structure.reached,
    doomed: structure.doomed,
    states: states.size,
    longest: isWhole ? longest : [],
    lengths: isWhole ? lengths : [],
    hops: hopsOf(menu, structure),
  };
}

const tooLarge: Finding = {
  kind: 'too_large',
  message:
    'expected fewer screens, or fewer answers that can be left out: there are too many ways to walk them all',
  path: ['screens'],
};

/** What all walks together have shown. */
type Survey = { structure: Structure; findings: Map<string, Finding>; states: Set<string> };

/** Keeps the first finding of its kind at its place: the walk is breadth first, so it has the fewest inputs. */
function keep({ findings }: Survey, finding: Finding): void {
  const { kind, screen, language, path } = finding;
  const key = JSON.stringify([kind, screen, language, path]);
  if (!findings.has(key)) findings.set(key, finding);
}

/**
 * A kind of channels, without those of whose screens nothing new can be told. Where repeats can be told from answers,
 * nothing is held back: each text that is shown there is shown where they cannot, too.
 */
function withoutProven(kind: Kind, measured: readonly Measured[]): Kind {
  const isProven = (limit: number) =>
    measured.some(
      (one) =>
        one.limit === limit &&
        !one.kind.sequenced &&
        one.kind.alphabet === kind.alphabet &&
        septets(one.kind.merchant) === septets(kind.merchant) &&
        [...one.lengths.values()].every((shown) => shown.septets <= limit),
    );
  if (!kind.sequenced) return kind;
  return { ...kind, channels: kind.channels.filter(({ limit }) => !isProven(limit)) };
}

/** Walks the menu once with room for everything, and once more for each limit that does not have it. */
function proveKind(menu: Menu, kind: Kind, around: Circumstances, survey: Survey) {
  if (kind.channels.length === 0) return [];
  const findings = (turn: Turn) => findInTurn(menu, turn);
  const whole = walkKind(menu, kind, unlimited, around, survey, findings);
  if (!whole) return undefined;
  const room = longestOf(whole)?.septets ?? 0;
  const measured: (Measured & { isTight: boolean })[] = [];
  for (const limit of new Set(kind.channels.map((channel) => channel.limit))) {
    const isTight = room > limit;
    const unread = (turn: Turn) => findUnread(menu, turn);
    const lengths = isTight ? walkKind(menu, kind, limit, around, survey, unread) : whole;
    if (!lengths) return undefined;
    const channels = kind.channels.flatMap((one) => (one.limit === limit ? one.name : []));
    measured.push({ kind, limit, channels, lengths, isTight });
  }
  return measured;
}

/** Walks the menu as diallers of every kind. Returns the lengths of all texts, or `undefined` when it is too large. */
function walkKind(
  menu: Menu,
  kind: Kind,
  limit: number,
  { approvals, maxVisits }: Circumstances,
  survey: Survey,
  find: (turn: Turn) => Finding[],
): Lengths | undefined {
  const lengths: Lengths = new Map();
  const operators = operatorsOf(menu, approvals);
  const payers = operators.map(otherNumber);
  const inputs = inputsOf(menu, payers);
  for (const operator of operators) {
    // What was shown once, with fewer inputs, is not looked at again.
    const texts = new Set<string>();
    const context = contextOf(kind, operator, approvals, limit);
    const attendant = { ...context, isAttendant: true };
    const places = walkMenu(
      {
        menu,
        contexts: Object.values(menu.screens).some(asksWho) ? [context, attendant] : [context],
        inputs,
        gots: effectResultsOf(menu, payers, context),
        arrivals: (around) => callerHistoriesAt(menu, payers, around),
        duplicateOf: duplicatesIn(menu, context),
        maxVisits,
      },
      (turn) => {
        noteTurn(menu, survey.structure, turn);
        const { state, reply } = turn.shown;
        const seen = [state.screen, state.language, state.notice, turn.from?.screen, reply.text].join('\n');
        if (!texts.has(seen)) {
          texts.add(seen);
          measureTurn(menu, lengths, turn);
          for (const finding of find(turn)) keep(survey, finding);
        }
        return { isEnd: isLastWord(menu, turn) };
      },
    );
    if (!places) return undefined;
    noteDoom(menu, survey.structure, places);
    for (const key of places.keys()) survey.states.add(key);
  }
  measurePayment(menu, lengths, kind, approvals);
  return lengths;
}

/** An end screen, or what the gateway says last of its own; but for that nothing came of a look-up. */
function isLastWord(menu: Menu, turn: Turn): boolean {
  const { screen } = turn.shown.state;
  if (screen === endStates.closed) return messageOf(menu, turn) !== 'lookupFailed';
  return menu.screens[screen]?.kind === 'end';
}
