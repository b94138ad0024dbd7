import type { LocalTime } from '../../shared/local-time.ts';
import { gsmSeptetsOf } from '../../shared/screen-text.ts';
import type { Menu } from '../schema.ts';
import { endStates } from '../state/state.ts';
import { timeConditionsOf } from '../state/time-condition.ts';
import {
  type Approvals,
  type ChannelGroup,
  createProofContext,
  groupChannels,
  hasAttendantContent,
  type ProvenChannel,
  relevantOperators,
  samplePayer,
} from './channel.ts';
import type { Finding } from './findings/finding.ts';
import {
  emptyStructure,
  type InputCounts,
  inputCountsOf,
  type MenuStructure,
  recordOpen,
  recordStuck,
  recordTurn,
} from './findings/structure.ts';
import { findInStructure, findMissingTranslations, findUnproven } from './findings/structure-findings.ts';
import { findInTurn, findUnbounded, findUnread } from './findings/turn-findings.ts';
import { callerHistories } from './inputs/caller-histories.ts';
import { createEffectResults } from './inputs/effect-results.ts';
import { createInputs } from './inputs/inputs.ts';
import { instantsOf } from './instants.ts';
import {
  findTooLong,
  type Lengths,
  type LongestText,
  longestOf,
  type MeasuredLimit,
} from './lengths/lengths.ts';
import { measurePaymentTexts, measureTurn } from './lengths/measure.ts';
import { messageOf, type Turn } from './walk/turn.ts';
import { walkMenu } from './walk/walk.ts';

/** The channels and limits that a menu must satisfy. */
export type ProofSettings = {
  /** At least one. */
  readonly channels: readonly ProvenChannel[];
  readonly approvals: Approvals;
  /** The most inputs on the shortest route to an end screen. */
  readonly maxInputs: number;
  /** The present day, such as `2026-03-07`: a menu must not only be open before it. Absent where that does not matter. */
  readonly today?: string;
  /** The most visits of one walk; by default far more than menus need. */
  readonly maxVisits?: number;
};

/** The findings of a menu, and its measurements. */
export type Proof = {
  readonly findings: readonly Finding[];
  /** The screens that an input leads to. */
  readonly reached: ReadonlySet<string>;
  /** The screens from which some payers cannot reach an end screen. */
  readonly stuck: ReadonlySet<string>;
  /** The number of different states in all walks. */
  readonly states: number;
  /** The longest text for each limit and channel group; empty when the menu is too large. */
  readonly longest: readonly LongestText[];
  /** The same for each screen and language. */
  readonly lengths: readonly LongestText[];
  readonly inputs: InputCounts;
};

/** A limit that no text reaches, so that no screen is split across pages. */
const unlimitedSeptets = 100_000;

/**
 * Walks every path through a menu, in every language, with the longest values, on all its channels. Pure.
 *
 * The menu must match the schema and have valid patterns. The proof covers everything else that the loader checks.
 */
export function proveMenu(menu: Menu, settings: ProofSettings): Proof {
  const proof: ProofState = {
    menu,
    settings,
    structure: emptyStructure(),
    findings: new Map(),
    states: new Set(),
    measured: [],
  };
  let isComplete = true;
  for (const group of groupChannels(settings.channels)) {
    const measured = proveGroup(proof, group);
    isComplete &&= measured !== undefined;
    proof.measured.push(...(measured ?? []));
  }
  const { structure, measured } = proof;
  // An incomplete walk proves nothing about the structure.
  const general = isComplete
    ? [
        ...findInStructure(menu, structure, settings.maxInputs),
        ...findMissingTranslations(menu),
        ...findUnproven(menu),
      ]
    : [tooLarge];
  for (const finding of [...general, ...findTooLong(measured)]) recordFinding(proof, finding);
  return {
    findings: [...proof.findings.values()],
    reached: structure.reached,
    stuck: structure.stuck,
    states: proof.states.size,
    longest: isComplete
      ? measured.flatMap(({ lengths, limit, isPaged }) => {
          const longest = longestOf(lengths);
          return longest ? [{ ...longest, limit, isPaged }] : [];
        })
      : [],
    lengths: measured.flatMap(({ lengths, limit, isPaged }) =>
      [...lengths.values()].map((text) => ({ ...text, limit, isPaged })),
    ),
    inputs: inputCountsOf(menu, structure),
  };
}

const tooLarge: Finding = {
  kind: 'too_large',
  message: 'expected fewer screens, optional answers or times: the menu has too many paths to walk',
  path: ['screens'],
};

/** The results of all walks so far. */
type ProofState = {
  readonly menu: Menu;
  readonly settings: ProofSettings;
  readonly structure: MenuStructure;
  readonly findings: Map<string, Finding>;
  readonly states: Set<string>;
  readonly measured: MeasuredLimit[];
};

/** Records the first finding of each kind and place. The walk is breadth first, so it has the fewest inputs. */
function recordFinding({ findings }: ProofState, finding: Finding): void {
  const { kind, screen, language, path } = finding;
  const key = JSON.stringify([kind, screen, language, path]);
  if (!findings.has(key)) findings.set(key, finding);
}

/** Walks the menu once without a limit, and once for each limit that its texts exceed. Returns `undefined` when it is too large. */
function proveGroup(
  proof: ProofState,
  { channels, ...group }: ChannelGroup,
): readonly MeasuredLimit[] | undefined {
  const { menu } = proof;
  const remaining: ChannelGroup = {
    ...group,
    channels: channels.filter(({ limit }) => !isProven(proof, group, limit)),
  };
  if (remaining.channels.length === 0) return [];
  const unlimited = walkGroup(proof, remaining, unlimitedSeptets, (turn) => findInTurn(menu, turn));
  if (!unlimited) return undefined;
  const longest = longestOf(unlimited)?.septets ?? 0;
  const measured: MeasuredLimit[] = [];
  for (const limit of new Set(remaining.channels.map((channel) => channel.limit))) {
    const isPaged = longest > limit;
    const lengths = isPaged
      ? walkGroup(proof, remaining, limit, (turn) => findUnread(menu, turn))
      : unlimited;
    if (!lengths) return undefined;
    const names = remaining.channels.flatMap((one) => (one.limit === limit ? one.name : []));
    measured.push({ group: remaining, limit, channels: names, lengths, isPaged });
  }
  return measured;
}

/**
 * True for a limit that channels without sequence numbers satisfy already. With sequence numbers no repeat is suppressed,
 * so every text there is a text on those channels too.
 */
function isProven({ measured }: ProofState, group: Omit<ChannelGroup, 'channels'>, limit: number): boolean {
  if (!group.sequenced) return false;
  return measured.some(
    (one) =>
      one.limit === limit &&
      !one.group.sequenced &&
      one.group.alphabet === group.alphabet &&
      one.group.lineBreak === group.lineBreak &&
      gsmSeptetsOf(one.group.merchant) === gsmSeptetsOf(group.merchant) &&
      [...one.lengths.values()].every((text) => text.septets <= limit),
  );
}

/** Walks the menu for diallers of every relevant operator. Returns the lengths of all texts; `undefined` when it is too large. */
function walkGroup(
  proof: ProofState,
  group: ChannelGroup,
  limit: number,
  find: (turn: Turn) => Finding[],
): Lengths | undefined {
  const { menu, settings } = proof;
  const lengths: Lengths = new Map();
  const instants = instantsOf(menu, settings.today);
  if (!instants) return undefined;
  for (const localTime of instants) {
    if (!walkInstant(proof, { group, limit, lengths, localTime, find })) return undefined;
  }
  measurePaymentTexts(menu, lengths, group, settings.approvals);
  return lengths;
}

type InstantWalk = {
  readonly group: ChannelGroup;
  readonly limit: number;
  /** The lengths of all texts so far. */
  readonly lengths: Lengths;
  readonly localTime: LocalTime;
  readonly find: (turn: Turn) => Finding[];
};

/** Walks the dialogues that start at one time. Returns false when they are too many. */
function walkInstant(proof: ProofState, { group, limit, lengths, localTime, find }: InstantWalk): boolean {
  const { menu, settings, structure, states } = proof;
  const { approvals, maxVisits } = settings;
  const found = (findings: readonly Finding[]) => {
    for (const finding of findings) recordFinding(proof, withTime(menu, finding, localTime));
  };
  const operators = relevantOperators(menu, approvals);
  const payers = operators.map(samplePayer);
  const inputs = createInputs(menu, payers);
  for (const operator of operators) {
    const context = createProofContext({ group, operator, approvals, limit, localTime });
    const attendant = { ...context, isAttendant: true };
    // A text is measured when it is first shown, with the fewest inputs.
    const measuredTexts = new Set<string>();
    const nodes = walkMenu(
      {
        menu,
        contexts: Object.values(menu.screens).some(hasAttendantContent) ? [context, attendant] : [context],
        inputs,
        effectResults: createEffectResults(menu, payers, context),
        callerHistories: (around) => callerHistories(menu, payers, around),
        maxVisits,
      },
      (turn) => {
        recordTurn(menu, structure, turn);
        found(findUnbounded(menu, turn));
        const { state, reply } = turn.step;
        const text = [state.screen, state.language, state.notice, turn.from?.screen, reply.text].join('\n');
        if (!measuredTexts.has(text)) {
          measuredTexts.add(text);
          measureTurn(menu, lengths, turn);
          found(find(turn));
        }
        return { isEnd: isIntendedEnd(menu, turn) };
      },
    );
    if (!nodes) return false;
    recordStuck(menu, structure, nodes);
    recordOpen(menu, structure, nodes, { localTime, today: settings.today });
    for (const key of nodes.keys()) states.add(key);
  }
  return true;
}

/** Adds the time to the assumptions of a finding, where the menu depends on it. */
function withTime(menu: Menu, finding: Finding, localTime: LocalTime): Finding {
  if (timeConditionsOf(menu).length === 0) return finding;
  return { ...finding, assumptions: [`a dial at ${localTime}`, ...(finding.assumptions ?? [])] };
}

/** True for an end screen and for a closing message of the gateway other than a failed lookup. */
function isIntendedEnd(menu: Menu, turn: Turn): boolean {
  const { screen } = turn.step.state;
  if (screen === endStates.closed) return messageOf(menu, turn) !== 'lookupFailed';
  return menu.screens[screen]?.kind === 'end';
}
