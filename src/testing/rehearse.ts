import { writeFileSync } from 'node:fs';
import type { FileError } from '../shared/yaml.ts';
import { type Difference, playTranscript } from './play.ts';
import { readTranscript, type TranscriptOptions } from './transcript.ts';
import { updatedText } from './update.ts';

/** The result of a transcript. `updated` is the number of screens written into the file. */
export type Rehearsal = {
  file: string;
  ok: boolean;
  screens: number;
  /** The status of the last collection, `no collection` or `not played`. */
  status: string;
  updated: number;
  /** The errors of the file. A file with errors is not played. */
  errors: FileError[];
  differences: Difference[];
};

/**
 * Plays a transcript against its own till and compares every screen. With `update`, the actual screens replace different
 * ones in the file, which is then played again: the result has the remaining differences. A menu that is a program is an
 * error without `allowPrograms`.
 */
export async function rehearse(
  file: string,
  { update = false, ...options }: TranscriptOptions & { update?: boolean } = {},
): Promise<Rehearsal> {
  const before = await rehearseOnce(file, options);
  if (!update || before.actualScreens.length === 0 || before.text === undefined) return before.rehearsal;
  writeFileSync(file, updatedText({ text: before.text }, before.actualScreens));
  const { rehearsal } = await rehearseOnce(file, options);
  return { ...rehearsal, updated: before.actualScreens.length };
}

async function rehearseOnce(file: string, options: TranscriptOptions) {
  const read = readTranscript(file, options);
  if (!read.ok) {
    const none = { screens: 0, status: 'not played', updated: 0, differences: [] };
    const rehearsal: Rehearsal = { file, ok: false, ...none, errors: read.errors };
    return { rehearsal, actualScreens: [], text: undefined };
  }
  const { transcript } = read;
  const { screens, differences, actualScreens, collected } = await playTranscript(transcript);
  const status = collected?.status ?? 'no collection';
  const ok = differences.length === 0;
  const rehearsal: Rehearsal = { file, ok, screens, status, updated: 0, errors: [], differences };
  return { rehearsal, actualScreens, text: transcript.text };
}
