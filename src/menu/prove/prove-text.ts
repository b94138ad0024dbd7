import { type FileError, sortErrors } from '../../shared/yaml.ts';
import { type CheckedSource, checkSource } from '../file/check-source.ts';
import { readWithIncluded } from '../file/include.ts';
import { readMenu } from '../file/read.ts';
import type { ReadMenu } from '../file/source.ts';
import type { Menu } from '../schema.ts';
import type { Finding } from './finding.ts';
import { type Circumstances, type Proof, proveMenu } from './prove.ts';
import { untranslated } from './structure.ts';

/** A finding with its file and line. */
export type FileFinding = Omit<Finding, 'path'> & FileError;

export type ProvenFile = {
  /** Absent when the text is no menu that can be walked. */
  readonly proven?: { readonly menu: Menu; readonly proof: Proof };
  /** No channel uses the menu, so nothing was walked. */
  readonly isUnused?: true;
  /** In the order of files and lines. */
  readonly findings: readonly FileFinding[];
};

type Told = CheckedSource['told'][number];

type CircumstancesOf = (menu: Menu) => Circumstances;

/** Proves a menu file. What keeps it from being loaded is a finding too, as below. */
export function proveFile(file: string, circumstancesOf: CircumstancesOf): ProvenFile {
  return proveSource(readMenu(file), circumstancesOf);
}

/**
 * Proves the text of a menu file in YAML. What keeps it from being loaded is a finding too: `invalid`, unless the walk
 * has found the same and can tell more of it.
 */
export function proveText(text: string, file: string, circumstancesOf: CircumstancesOf): ProvenFile {
  return proveSource(readWithIncluded(text, file), circumstancesOf);
}

function proveSource(source: ReadMenu, circumstancesOf: CircumstancesOf): ProvenFile {
  if (!source.ok) return { findings: source.errors.map(invalid) };
  const { menu, faults, told } = checkSource(source);
  const invalids = (all: readonly Told[]) =>
    all.map(({ path, message }) => invalid(source.errorAt(path, message)));
  if (!menu || faults.length > 0 || !told.every((one) => isProvable(menu, one))) {
    return { findings: sortErrors([...faults.map(invalid), ...invalids(told)], source.files) };
  }
  const circumstances = circumstancesOf(menu);
  if (circumstances.channels.length === 0) return { isUnused: true, findings: [] };
  const proof = proveMenu(menu, circumstances);
  const findings = proof.findings.map(({ path, ...finding }) => ({
    ...finding,
    ...source.errorAt(path, finding.message),
  }));
  const unsaid = told.filter((one) => !isTold(proof, one));
  return { proven: { menu, proof }, findings: sortErrors([...findings, ...invalids(unsaid)], source.files) };
}

function invalid(fault: FileError): FileFinding {
  return { kind: 'invalid', ...fault };
}

/** True for what does not keep a menu from being walked: where its screens lead, and languages that a text lacks. */
function isProvable({ languages }: Menu, { path, message }: Told): boolean {
  return isOfScreen(path) || languages.some((language) => message === untranslated(language));
}

function isOfScreen(path: Told['path']): boolean {
  return path.length === 2 && path[0] === 'screens';
}

/** True when the walk has found what was told, in its own words. */
function isTold({ findings, reached, doomed }: Proof, { path, message }: Told): boolean {
  if (!isOfScreen(path)) {
    return findings.some((one) => one.message === message && one.path.join(' ') === path.join(' '));
  }
  const screen = String(path[1]);
  return !reached.has(screen) || doomed.has(screen) || findings.some((one) => one.screen === screen);
}
