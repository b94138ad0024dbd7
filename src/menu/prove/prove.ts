import { countGsmSeptets } from '../../shared/screen-text.ts';
import type { Menu } from '../schema.ts';
import type { Approvals, ProvenChannel } from './channel.ts';
import type { Finding } from './finding.ts';
import { findLongest, findTooLong, type LongestText, type MeasuredLimit } from './lengths.ts';
import { joinTexts } from './longest.ts';
import { joinStates, measure } from './measure.ts';
import { searchMenu } from './search.ts';
import { type InputCounts, readStructure } from './structure.ts';

/** The channels and limits that a menu must satisfy. */
export type ProofSettings = {
  /** At least one. */
  readonly channels: readonly ProvenChannel[];
  readonly approvals: Approvals;
  /** The most inputs on the shortest route to an end screen. */
  readonly maxInputs: number;
  /** The present day, such as `2026-03-07`: a menu must not only be open before it. Absent where that does not matter. */
  readonly today?: string;
  /** The most states of the search; by default far more than menus need. */
  readonly maxStates?: number;
};

/** The findings of a menu, and its measurements. */
export type Proof = {
  readonly findings: readonly Finding[];
  /** The screens that an input leads to. */
  readonly reached: ReadonlySet<string>;
  /** The screens from which some payers cannot reach an end screen. */
  readonly stuck: ReadonlySet<string>;
  /** The number of states that the search distinguishes. */
  readonly states: number;
  /** The longest text on each kind of channel; empty when the menu is too large. */
  readonly longest: readonly LongestText[];
  /** The same for each screen and language. */
  readonly lengths: readonly LongestText[];
  readonly inputs: InputCounts;
};

/**
 * Proves a menu: searches the screens that payers can reach, with upper bounds of all values, and measures each screen with
 * its longest values, in every language, on all channels. Pure.
 *
 * A menu without findings has no screen that is too long, and no dialogue without an end. A finding can be about values that
 * exclude each other in ways that the search does not follow.
 *
 * The menu must match the schema and have valid patterns. The proof covers everything else that the loader checks.
 */
export function proveMenu(
  menu: Menu,
  { channels, approvals, maxInputs, today, maxStates }: ProofSettings,
): Proof {
  const texts = {
    merchant: channels.map(({ merchant }) => merchant).reduce(joinTexts),
    approvals: Object.values(approvals).reduce(joinTexts),
  };
  const search = searchMenu(menu, { texts, today, maxStates });
  if (!search) return tooLarge;
  const structure = readStructure(menu, search, { maxInputs, texts, today });
  const screens = joinStates(menu, search);
  const findings = new Map<string, Finding>();
  // The search is breadth first: the first finding of each kind and place has the fewest inputs.
  const record = (finding: Finding) => {
    const { kind, screen, language, path } = finding;
    const key = JSON.stringify([kind, screen, language, path]);
    if (!findings.has(key)) findings.set(key, finding);
  };
  structure.findings.forEach(record);
  const measured = groupChannels(channels).map(([channel, names]): MeasuredLimit => {
    const { findings: found, ...lengths } = measure({ menu, channel, approvals, screens });
    found.forEach(record);
    return { limit: channel.limit, channels: names, ...lengths };
  });
  findTooLong(measured).forEach(record);
  const { reached, stuck, inputs } = structure;
  return {
    findings: [...findings.values()],
    reached,
    stuck,
    inputs,
    states: search.nodes.size,
    longest: [...new Set(measured.map(({ limit }) => limit).sort((a, b) => a - b))].flatMap((limit) => {
      const all = measured.filter((one) => one.limit === limit);
      const longest = findLongest(all.flatMap(({ lengths }) => [...lengths.values()]));
      return longest ? [{ ...longest, limit, isPaged: all.some(({ isPaged }) => isPaged) }] : [];
    }),
    lengths: measured.flatMap(({ lengths, limit, isPaged }) =>
      [...lengths.values()].map((text) => ({ ...text, limit, isPaged })),
    ),
  };
}

const tooLarge: Proof = {
  findings: [
    {
      kind: 'too_large',
      message: 'expected fewer screens, optional answers or times: the menu has too many paths to search',
      path: ['screens'],
    },
  ],
  reached: new Set(),
  stuck: new Set(),
  states: 0,
  longest: [],
  lengths: [],
  inputs: { shortest: 0, longest: undefined },
};

/** Returns one of the channels that have the same screens, with the names of all. */
function groupChannels(channels: readonly ProvenChannel[]): [ProvenChannel, string[]][] {
  const groups = new Map<string, [ProvenChannel, string[]]>();
  for (const channel of channels) {
    const { name, merchant, ...style } = channel;
    const key = JSON.stringify([
      merchant.length,
      countGsmSeptets(merchant),
      style.alphabet,
      style.lineBreak ?? '\n',
      style.limit,
      style.sequenced,
    ]);
    const [first, names] = groups.get(key) ?? [channel, []];
    groups.set(key, [first, [...names, name]]);
  }
  return [...groups.values()];
}
