import { type Document, isMap, isScalar, isSeq, parseDocument, Scalar, YAMLMap } from 'yaml';
import type { Screen } from './phone.ts';
import type { Heard } from './play.ts';
import type { Transcript } from './transcript.ts';

/** The transcript's text with the screens that came; comments and everything else stay. */
export function updatedText({ text }: Pick<Transcript, 'text'>, heard: readonly Heard[]): string {
  const document = parseDocument(text);
  const steps = document.get('steps');
  if (!isSeq(steps)) throw new Error('a transcript without steps was played');
  // From the last on, so that what is put in moves no step that is still to be found.
  for (const { screen, at, place } of heard.toSorted((a, b) => b.at - a.at)) {
    const before = steps.items[at];
    if (place === 'behind') steps.items.splice(at + 1, 0, stepOf(document, screen));
    else if (isMap(before)) replace(before, screen);
  }
  return document.toString({ lineWidth: 0 });
}

const keyOf = { continue: 'screen', end: 'end' } as const;

function stepOf(document: Document, screen: Screen): YAMLMap {
  const step = new YAMLMap(document.schema);
  step.set(document.createNode(keyOf[screen.kind]), block(screen.text));
  return step;
}

function replace(step: YAMLMap, { kind, text }: Screen): void {
  const [pair] = step.items;
  if (!pair) return;
  if (isScalar(pair.key)) pair.key.value = keyOf[kind];
  const value = block(text);
  if (isScalar(pair.value) && pair.value.comment) value.comment = pair.value.comment;
  pair.value = value;
}

/** A text as a block of lines, which reads as the phone shows it. */
function block(text: string): Scalar {
  const scalar = new Scalar(`${text}\n`);
  scalar.type = Scalar.BLOCK_LITERAL;
  return scalar;
}
