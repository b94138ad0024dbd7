import { writeFileSync } from 'node:fs';
import type { FileError } from '../shared/yaml.ts';
import { type Difference, playTranscript } from './play.ts';
import { readTranscript } from './transcript.ts';
import { updatedText } from './update.ts';

/** How a transcript went. `written` counts the screens that were put right in the file. */
export type Rehearsal = {
  file: string;
  ok: boolean;
  screens: number;
  /** What the last payment came to, or `nothing collected`. */
  status: string;
  written: number;
  /** What the file says that it should not, by line. It was not played then. */
  faults: FileError[];
  differences: Difference[];
};

/**
 * Plays a transcript against a till of its own and compares every screen. With `update`, screens that are otherwise are
 * written into the file as they are now, and it is played again: what else is wrong is told as ever.
 */
export async function rehearse(file: string, { update = false } = {}): Promise<Rehearsal> {
  const before = await rehearseOnce(file);
  if (!update || before.heard.length === 0 || before.text === undefined) return before.rehearsal;
  writeFileSync(file, updatedText({ text: before.text }, before.heard));
  const { rehearsal } = await rehearseOnce(file);
  return { ...rehearsal, written: before.heard.length };
}

async function rehearseOnce(file: string) {
  const read = readTranscript(file);
  if (!read.ok) {
    const none = { screens: 0, status: 'not played', written: 0, differences: [] };
    const rehearsal: Rehearsal = { file, ok: false, ...none, faults: read.errors };
    return { rehearsal, heard: [], text: undefined };
  }
  const { transcript } = read;
  const { screens, differences, heard, collected } = await playTranscript(transcript);
  const status = collected?.status ?? 'nothing collected';
  const ok = differences.length === 0;
  const rehearsal: Rehearsal = { file, ok, screens, status, written: 0, faults: [], differences };
  return { rehearsal, heard, text: transcript.text };
}
