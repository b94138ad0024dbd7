import { type FileError, sortErrors } from '../../shared/yaml.ts';
import { type CheckedSource, checkSource, readMenu, readWithIncluded } from '../file/load.ts';
import type { Menu } from '../schema.ts';
import type { ReadMenu } from '../typescript/read-program.ts';
import type { Approvals, ProvenChannel } from './channel.ts';
import { joinStates } from './draw-screen.ts';
import type { Finding } from './finding.ts';
import { type MaxText, measureChannels } from './measure.ts';
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
 * Proves a menu: searches the screens that payers can reach, with upper bounds of all values, and measures each screen with
 * its largest values, in every language, on all channels. Pure.
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

/** Proves the text of a menu file in YAML. */
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
