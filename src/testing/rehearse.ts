import { writeFileSync } from 'node:fs';
import { type Document, isMap, isScalar, isSeq, parseDocument, Scalar, YAMLMap } from 'yaml';
import type { FileError } from '../shared/yaml.ts';
import type { TillScreen } from './phone.ts';
import { type ActualScreen, type Difference, playTranscript } from './play.ts';
import { readTranscript, type Transcript, type TranscriptOptions } from './transcript.ts';

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

/** Returns the text of a transcript with the actual screens. Comments and all other parts stay. */
function updatedText({ text }: Pick<Transcript, 'text'>, screens: readonly ActualScreen[]): string {
  const document = parseDocument(text);
  const steps = document.get('steps');
  if (!isSeq(steps)) throw new Error('the transcript has no steps');
  // Backwards, so that an insertion does not move the remaining indexes.
  for (const { screen, index, place } of screens.toSorted((a, b) => b.index - a.index)) {
    const step = steps.items[index];
    if (place === 'after') steps.items.splice(index + 1, 0, createStep(document, screen));
    else if (isMap(step)) replaceScreen(step, screen);
  }
  return document.toString({ lineWidth: 0 });
}

const replyKeys = { continue: 'screen', end: 'end' } as const;

function createStep(document: Document, screen: TillScreen): YAMLMap {
  const step = new YAMLMap(document.schema);
  step.set(document.createNode(replyKeys[screen.kind]), block(screen.text));
  return step;
}

function replaceScreen(step: YAMLMap, { kind, text }: TillScreen): void {
  const [pair] = step.items;
  if (!pair) return;
  if (isScalar(pair.key)) pair.key.value = replyKeys[kind];
  const value = block(text);
  if (isScalar(pair.value) && pair.value.comment) value.comment = pair.value.comment;
  pair.value = value;
}

/** Returns a block scalar, which has the line breaks of the phone. */
function block(text: string): Scalar {
  const scalar = new Scalar(`${text}\n`);
  scalar.type = Scalar.BLOCK_LITERAL;
  return scalar;
}
