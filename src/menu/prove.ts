import {
  type Approvals,
  contextOf,
  type Kind,
  kindsOf,
  operatorsOf,
  otherNumber,
  type ProvenChannel,
} from './prove/channel.ts';
import type { Finding } from './prove/finding.ts';
import { inputsOf } from './prove/inputs.ts';
import { findTooLong, type Lengths, type Longest, longestOf, type Measured } from './prove/lengths.ts';
import { measureStanding, measureTurn } from './prove/measure.ts';
import {
  emptyStructure,
  findInStructure,
  hopsOf,
  noteDoom,
  noteTurn,
  type Structure,
} from './prove/structure.ts';
import { findInTurn, findUnread } from './prove/turn-findings.ts';
import { type Turn, walkMenu } from './prove/walk.ts';
import type { Menu } from './schema.ts';
import type { MenuContext } from './state.ts';

/** Where and how a menu is used. */
export type Circumstances = {
  /** At least one. */
  readonly channels: readonly ProvenChannel[];
  readonly approvals: Approvals;
  /** The most inputs that the shortest way to an END may take. */
  readonly maxHops: number;
  /** How many visits one walk may take; far more than menus need, unless given. */
  readonly mostVisits?: number;
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
  /** For each limit and kind of channel; empty when the menu is too large. */
  readonly longest: readonly Longest[];
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
  let isWhole = true;
  for (const kind of kindsOf(around.channels)) {
    const known = proveKind(menu, kind, around, survey);
    isWhole &&= known !== undefined;
    for (const one of known ?? []) {
      const shown = longestOf(one.lengths);
      measured.push(one);
      if (shown) longest.push({ ...shown, limit: one.limit, isTight: one.isTight });
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

/** Walks the menu once with room for everything, and once more for each limit that does not have it. */
function proveKind(menu: Menu, kind: Kind, around: Circumstances, survey: Survey) {
  const findings = (turn: Turn) => findInTurn(menu, turn);
  const whole = walkKind(menu, kind, unlimited, around, survey, findings);
  if (!whole) return undefined;
  const room = longestOf(whole)?.septets ?? 0;
  const measured: (Measured & { isTight: boolean })[] = [];
  for (const limit of new Set(kind.channels.map((channel) => channel.limit))) {
    const isTight = room > limit;
    const unread = (turn: Turn, context: MenuContext) => findUnread(menu, context, turn);
    const lengths = isTight ? walkKind(menu, kind, limit, around, survey, unread) : whole;
    if (!lengths) return undefined;
    const channels = kind.channels.flatMap((one) => (one.limit === limit ? one.name : []));
    measured.push({ limit, channels, lengths, isTight });
  }
  return measured;
}

/** Walks the menu as payers of every operator. Returns the lengths of all texts, or `undefined` when it is too large. */
function walkKind(
  menu: Menu,
  kind: Kind,
  limit: number,
  { approvals, mostVisits }: Circumstances,
  survey: Survey,
  find: (turn: Turn, context: MenuContext) => Finding[],
): Lengths | undefined {
  const lengths: Lengths = new Map();
  const operators = operatorsOf(menu, approvals);
  for (const operator of operators) {
    // What was shown once, with fewer inputs, is not looked at again.
    const texts = new Set<string>();
    const context = contextOf(kind, operator, approvals, limit);
    const inputs = inputsOf(menu, operators.map(otherNumber));
    const places = walkMenu(menu, context, inputs, mostVisits, (turn) => {
      noteTurn(menu, survey.structure, turn);
      const { state, reply } = turn.shown;
      const seen = [state.screen, state.language, state.notice, turn.from?.screen, reply.text].join('\n');
      if (texts.has(seen)) return;
      texts.add(seen);
      measureTurn(menu, lengths, turn, context);
      for (const finding of find(turn, context)) keep(survey, finding);
    });
    if (!places) return undefined;
    noteDoom(menu, survey.structure, places);
    for (const key of places.keys()) survey.states.add(key);
  }
  measureStanding(menu, lengths, kind, approvals);
  return lengths;
}
