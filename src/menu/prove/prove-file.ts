import { type FileError, sortErrors } from '../../shared/yaml.ts';
import { type CheckedSource, checkSource } from '../file/load.ts';
import { readMenu, readWithIncluded } from '../file/read.ts';
import type { ReadMenu } from '../file/source.ts';
import type { Menu } from '../schema.ts';
import type { Finding } from './finding.ts';
import { type Proof, type ProofSettings, proveMenu } from './prove.ts';
import { missingTranslation } from './structure.ts';

/** A finding with its file and line. */
export type FileFinding = Omit<Finding, 'path'> & FileError;

export type ProvenFile = {
  /** Absent when the file is not a menu that can be walked. */
  readonly proven?: { readonly menu: Menu; readonly proof: Proof };
  /** No channel uses the menu, so it was not walked. */
  readonly isUnused?: true;
  /** In the order of files and lines. */
  readonly findings: readonly FileFinding[];
};

type SettingsFor = (menu: Menu) => ProofSettings;

/** Proves a menu file. The findings include the problems that prevent the gateway from loading it. */
export function proveFile(file: string, settingsFor: SettingsFor): ProvenFile {
  return proveSource(readMenu(file), settingsFor);
}

/**
 * Proves the text of a menu file in YAML. A problem that prevents the gateway from loading it is an `invalid` finding,
 * unless the walk finds the same problem: then the more detailed finding of the walk is returned.
 */
export function proveText(text: string, file: string, settingsFor: SettingsFor): ProvenFile {
  return proveSource(readWithIncluded(text, file), settingsFor);
}

type Problem = CheckedSource['ruleErrors'][number];

function proveSource(source: ReadMenu, settingsFor: SettingsFor): ProvenFile {
  if (!source.ok) return { findings: source.errors.map(invalid) };
  const { menu, errors, ruleErrors: problems } = checkSource(source);
  const invalids = (all: readonly Problem[]) =>
    all.map(({ path, message }) => invalid(source.errorAt(path, message)));
  if (!menu || errors.length > 0 || !problems.every((problem) => isWalkable(menu, problem))) {
    return { findings: sortErrors([...errors.map(invalid), ...invalids(problems)], source.files) };
  }
  const settings = settingsFor(menu);
  if (settings.channels.length === 0) return { isUnused: true, findings: [] };
  const proof = proveMenu(menu, settings);
  const findings = proof.findings.map(({ path, ...finding }) => ({
    ...finding,
    ...source.errorAt(path, finding.message),
  }));
  const others = problems.filter((problem) => !isInProof(proof, problem));
  return { proven: { menu, proof }, findings: sortErrors([...findings, ...invalids(others)], source.files) };
}

function invalid(error: FileError): FileFinding {
  return { kind: 'invalid', ...error };
}

/** True for a problem with which a menu can still be walked: the routes of a screen, and missing translations. */
function isWalkable({ languages }: Menu, { path, message }: Problem): boolean {
  return isAboutScreen(path) || languages.some((language) => message === missingTranslation(language));
}

function isAboutScreen(path: Problem['path']): boolean {
  return path.length === 2 && path[0] === 'screens';
}

/** True when the proof has a finding for the problem. */
function isInProof({ findings, reached, stuck }: Proof, { path, message }: Problem): boolean {
  if (!isAboutScreen(path)) {
    return findings.some((one) => one.message === message && one.path.join(' ') === path.join(' '));
  }
  const screen = String(path[1]);
  return !reached.has(screen) || stuck.has(screen) || findings.some((one) => one.screen === screen);
}
