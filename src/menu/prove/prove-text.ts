import { type Fault, readYaml, schemaFaults } from '../../shared/yaml.ts';
import { checkMenu } from '../check.ts';
import { type Circumstances, type Proof, proveMenu } from '../prove.ts';
import { type Menu, menuSchema } from '../schema.ts';
import type { Finding } from './finding.ts';
import { untranslated } from './structure.ts';

/** A finding with its line. */
export type FileFinding = Omit<Finding, 'path'> & Fault;

export type ProvenFile = {
  /** Absent when the text is no menu that can be walked. */
  readonly proven?: { readonly menu: Menu; readonly proof: Proof };
  /** No channel uses the menu, so nothing was walked. */
  readonly isUnused?: true;
  /** In the order of lines. */
  readonly findings: readonly FileFinding[];
};

type Told = { path: readonly (string | number)[]; message: string };

/**
 * Proves the text of a menu file. What keeps it from being loaded is a finding too: `invalid`, unless the walk has found
 * the same and can tell more of it.
 */
export function proveText(
  text: string,
  file: string,
  circumstancesOf: (menu: Menu) => Circumstances,
): ProvenFile {
  const source = readYaml(text, file);
  if (!source.ok) return { findings: source.faults.map(invalid) };
  const parsed = menuSchema.safeParse(source.value);
  const told: Told[] = [];
  checkMenu(source.value, (path, message) => told.push({ path, message }));
  const faults = [...source.faults, ...(parsed.success ? [] : schemaFaults(source, parsed.error))];
  const invalids = (all: readonly Told[]) =>
    all.map(({ path, message }) => invalid(source.faultAt(path, message)));
  if (!parsed.success || faults.length > 0 || !told.every((one) => isProvable(parsed.data, one))) {
    return { findings: byLine([...faults.map(invalid), ...invalids(told)]) };
  }
  const menu = parsed.data;
  const circumstances = circumstancesOf(menu);
  if (circumstances.channels.length === 0) return { isUnused: true, findings: [] };
  const proof = proveMenu(menu, circumstances);
  const findings = proof.findings.map(({ path, ...finding }) => ({
    ...finding,
    ...source.faultAt(path, finding.message),
  }));
  const unsaid = told.filter((one) => !isTold(proof, one));
  return { proven: { menu, proof }, findings: byLine([...findings, ...invalids(unsaid)]) };
}

function byLine(findings: readonly FileFinding[]): FileFinding[] {
  return [...findings].sort((a, b) => a.line - b.line);
}

function invalid(fault: Fault): FileFinding {
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
