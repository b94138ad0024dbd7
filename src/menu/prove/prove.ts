import { countSeptets } from '../../shared/screen-text.ts';
import { type FileError, sortErrors } from '../../shared/yaml.ts';
import { type CheckedSource, checkSource, readMenu, readWithIncluded } from '../file/load.ts';
import type { Menu } from '../schema.ts';
import { isAnswer } from '../screens/show.ts';
import { message } from '../text/messages.ts';
import { pick, placeholdersIn } from '../text/render.ts';
import type { ReadMenu } from '../typescript/read-program.ts';
import type { Approvals, ProvenChannel } from './channel.ts';
import { maxForm } from './domain.ts';
import { drawMessages } from './draw-messages.ts';
import { drawScreen, joinStates, type Measuring, type ScreenValues } from './draw-screen.ts';
import type { Finding } from './finding.ts';
import { searchMenu } from './search.ts';
import { joinTexts } from './sizes.ts';
import { readStructure } from './structure.ts';

/** The channels and limits that a menu must satisfy. */
export type ProofSettings = {
  /** At least one. */
  readonly channels: readonly ProvenChannel[];
  readonly approvals: Approvals;
  /** The maximum number of inputs on the shortest route to an end screen. */
  readonly maxInputs: number;
  /** The present day, such as `2026-03-07`: a menu must not only be open before it. Absent where that does not matter. */
  readonly today?: string;
  /** The maximum number of states of the search; by default far more than menus need. */
  readonly maxStates?: number;
};

/** The findings of a menu, and its measurements. */
export type Proof = {
  readonly findings: readonly Finding[];
  /** The screens that an input leads to. */
  readonly reached: ReadonlySet<string>;
  /** The number of states that the search distinguishes. */
  readonly states: number;
  /** Each screen and message in each language, for each limit of a channel; empty when the menu is too large. */
  readonly texts: readonly MaxText[];
  /** Inputs to the farthest end screen by its shortest route. */
  readonly inputs: number;
};

/**
 * Proves a menu: searches the screens that payers can reach, with upper bounds of all values. Then measures each screen with its
 * largest values, in every language, on all channels. Pure.
 *
 * A menu without findings has no screen that is too long, and no dialogue without an end. A finding can be about values that
 * exclude each other in ways that the search does not follow.
 *
 * The menu must match the schema and have valid patterns.
 */
export function proveMenu(
  menu: Menu,
  { channels, approvals, maxInputs, today, maxStates }: ProofSettings,
): Proof {
  const texts = {
    merchant: channels.map(({ merchant }) => merchant).reduce(joinTexts),
    approvals: Object.values(approvals).reduce(joinTexts),
  };
  const nodes = searchMenu({ menu, texts }, { today, maxStates });
  if (!nodes) return tooLarge;
  const { findings, ...structure } = readStructure({ menu, texts }, nodes, { maxInputs, today });
  const measured = measureChannels({ menu, approvals, screens: joinStates(menu, nodes) }, channels);
  // The search is breadth first: the first finding of each kind and place has the fewest inputs.
  const places = Map.groupBy([...findings, ...measured.findings], ({ kind, screen, language, path }) =>
    JSON.stringify([kind, screen, language, path]),
  );
  return {
    ...structure,
    findings: [...places.values()].flatMap((all) => all.slice(0, 1)),
    states: nodes.size,
    texts: measured.texts,
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
  states: 0,
  texts: [],
  inputs: 0,
};

/** A finding with its file and line. */
export type FileFinding = Omit<Finding, 'path'> & FileError;

export type ProvenFile = {
  /** Absent when the file is not a menu that can be searched. */
  readonly proven?: { readonly menu: Menu; readonly proof: Proof };
  /** No channel uses the menu, so it was not searched. */
  readonly isUnused?: true;
  /** In the order of files and lines. */
  readonly findings: readonly FileFinding[];
};

type SettingsFor = (menu: Menu) => ProofSettings;

/** Proves a menu file. The findings include the problems that prevent the gateway from loading it. */
export function proveFile(file: string, settingsFor: SettingsFor): ProvenFile {
  return proveSource(readMenu(file), settingsFor);
}

export function proveText(text: string, file: string, settingsFor: SettingsFor): ProvenFile {
  return proveSource(readWithIncluded(text, file), settingsFor);
}

function proveSource(source: ReadMenu, settingsFor: SettingsFor): ProvenFile {
  if (!source.ok) return { findings: source.errors.map(invalid) };
  const { menu, errors, ruleErrors } = checkSource(source);
  const locate = ({ path, ...finding }: Finding) => ({
    ...finding,
    ...source.errorAt(path, finding.message),
  });
  const problems = ruleErrors.map(toFinding);
  if (!menu || errors.length > 0 || problems.some(({ kind }) => kind === 'invalid')) {
    return { findings: sortErrors([...errors.map(invalid), ...problems.map(locate)], source.files) };
  }
  const settings = settingsFor(menu);
  if (settings.channels.length === 0) return { isUnused: true, findings: [] };
  const proof = proveMenu(menu, settings);
  // The search finds most of the loader's problems too, with the inputs that lead to them.
  const isFound = ({ kind, path }: Finding) =>
    proof.findings.some((one) => one.kind === kind && one.path.join(' ') === path.join(' '));
  const findings = [...proof.findings, ...problems.filter((one) => !isFound(one))].map(locate);
  return { proven: { menu, proof }, findings: sortErrors(findings, source.files) };
}

function invalid(error: FileError): FileFinding {
  return { kind: 'invalid', ...error };
}

function toFinding({ path, message, kind }: CheckedSource['ruleErrors'][number]): Finding {
  const isOfScreen = kind !== undefined && path[0] === 'screens';
  return { kind: kind ?? 'invalid', message, path, ...(isOfScreen && { screen: String(path[1]) }) };
}

/** The maximum length of a screen or message, with the inputs and assumptions that lead to it. */
type MaxText = {
  readonly screen: string;
  readonly language: string;
  /** The limit of the channels. */
  readonly limit: number;
  /** At least those of each real text. A screen that can need pages, or lack its key for going back, has at least the limit. */
  readonly septets: number;
  /** The text in the menu file. */
  readonly path: readonly (string | number)[];
  readonly inputs: readonly string[];
  readonly assumptions: readonly string[];
};

type MeasuredText = Omit<MaxText, 'limit' | 'inputs' | 'assumptions'>;

/** Measures a menu on all channels. A screen that exceeds several limits has one finding in each language. */
function measureChannels(
  measuring: Omit<Measuring, 'channel'>,
  channels: readonly ProvenChannel[],
): { texts: MaxText[]; findings: Finding[] } {
  const { menu, screens } = measuring;
  const groups = groupChannels(channels).map(([channel, names]) => {
    return { names, limit: channel.limit, ...measure({ ...measuring, channel }) };
  });
  const all = groups.flatMap(({ texts, limit, names }) => texts.map((one) => ({ ...one, limit, names })));
  const findMax = <T extends MeasuredText>(some: readonly T[]) =>
    some.reduce((max, one) => (one.septets > max.septets ? one : max));
  const byScreen = Map.groupBy(all, ({ screen, language }) => `${screen} ${language}`);
  const findings = groups.flatMap((one) => one.findings);
  const texts: MaxText[] = [];
  for (const measured of byScreen.values()) {
    const limits = [...Map.groupBy(measured, ({ limit }) => limit)].sort(([a], [b]) => a - b);
    const excesses: string[] = [];
    let longest: number | undefined;
    for (const [limit, some] of limits) {
      const { names: _, ...max } = findMax(some);
      texts.push({ ...max, ...getOrigin(menu, screens.get(max.screen), max) });
      const names = some.flatMap((one) => (one.septets > limit ? one.names : []));
      if (names.length === 0) continue;
      // The lines of a screen can be longer on channels with a higher limit.
      const size = max.septets === longest ? '' : `${max.septets} septets, `;
      excesses.push(`${size}${max.septets - limit} over ${limit} (${formatNames(names)})`);
      longest = max.septets;
    }
    if (excesses.length === 0) continue;
    const { screen, language, path, septets } = findMax(measured.filter((one) => one.septets > one.limit));
    const origin = getOrigin(menu, screens.get(screen), { screen, language, path, septets });
    const message = excesses.join(', ');
    findings.push({ kind: 'too_long', screen, language, path, message, ...origin });
  }
  return { texts, findings };
}

const maxNames = 3;

function formatNames(all: readonly string[]): string {
  const names = [...new Set(all)];
  const shown = names.slice(0, maxNames).join(', ');
  return names.length > maxNames ? `${shown} and ${names.length - maxNames} more` : shown;
}

/** Returns one of the channels that have the same screens, with the names of all. */
function groupChannels(channels: readonly ProvenChannel[]): (readonly [ProvenChannel, string[]])[] {
  const groups = Map.groupBy(channels, ({ name: _, ...style }) =>
    JSON.stringify(Object.entries(style).sort()),
  );
  return [...groups.values()].flatMap((all) =>
    all.slice(0, 1).map((one) => [one, all.map(({ name }) => name)] as const),
  );
}

/** Measures every screen and message with its largest values, in every language. */
function measure(measuring: Measuring): { texts: MeasuredText[]; findings: Finding[] } {
  const { menu, channel, screens } = measuring;
  const { limit, alphabet, lineBreak } = channel;
  const count = (text: string) => countSeptets(text, alphabet, lineBreak);
  const texts: MeasuredText[] = [];
  const findings: Finding[] = [];
  const shown = [...screens.values()].flatMap(({ first }) => [...first.keys()]);
  for (const language of new Set([...menu.languages, ...shown])) {
    const more = `\n${menu.keys.more[0]}. ${message(menu, language, 'more')}`;
    const back = menu.keys.back === false ? '' : `\n${menu.keys.back}. ${message(menu, language, 'back')}`;
    // Pages are split between units. So pages with smaller values fit when each unit fits on a page, or all on one.
    const getSeptets = (units: readonly string[], notice: string) => {
      const above = notice === '' ? '' : `${notice}\n`;
      const whole = above + units.join('\n');
      const full = count(whole + back);
      if (full <= limit || count(whole) <= limit) return Math.min(full, limit);
      return Math.max(limit, ...units.map((unit, i) => count(above + unit + (units[i + 1] ? more : ''))));
    };
    const drawn = [
      ...[...screens.keys()].flatMap((name) => drawScreen(measuring, name, language)),
      ...drawMessages(measuring, language),
    ];
    for (const { name, path, units: all, notices } of drawn) {
      const units = all.filter((unit) => unit !== '');
      const own = count(units.join('\n'));
      const septets = notices
        ? Math.max(...['', ...notices].map((notice) => getSeptets(units, notice)))
        : own;
      texts.push({ screen: name, path, language, septets });
      const screen = menu.screens[name];
      const [moreKey = ''] = menu.keys.more;
      if (screen?.kind !== 'ask' || own <= limit || !isAnswer(screen, moreKey, {})) continue;
      const unread = `expected a shorter text, or another key for more: ${moreKey} is an answer here`;
      findings.push({ kind: 'unread', screen: name, language, message: unread, path });
    }
  }
  return { texts, findings };
}

/** The inputs and assumptions that lead to a screen, and examples of its largest values. */
function getOrigin(
  menu: Menu,
  known: ScreenValues | undefined,
  { screen: name, language }: MeasuredText,
): { inputs: readonly string[]; assumptions: readonly string[] } {
  const node = known?.first.get(language) ?? known?.first.values().next().value;
  const screen = menu.screens[name];
  if (!known || !node || !screen || !('text' in screen)) return { inputs: [], assumptions: [] };
  const examples = placeholdersIn(pick(screen.text, language)).flatMap(({ name: value, format }) => {
    const domain = known.values[value];
    return domain && domain.kind !== 'list'
      ? [`{${value}} such as ${maxForm(domain, format).replaceAll('æ', '[')}`]
      : [];
  });
  return { inputs: node.inputs, assumptions: [...node.assumptions, ...new Set(examples)] };
}
