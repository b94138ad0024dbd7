import { type Document, isMap, isScalar, isSeq, parseDocument, Scalar, YAMLMap } from 'yaml';
import type { Screen } from './phone.ts';
import type { ActualScreen } from './play.ts';
import type { Transcript } from './transcript.ts';

/** Returns the text of a transcript with the actual screens. Comments and all other parts stay. */
export function updatedText({ text }: Pick<Transcript, 'text'>, screens: readonly ActualScreen[]): string {
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

const keyOf = { continue: 'screen', end: 'end' } as const;

function createStep(document: Document, screen: Screen): YAMLMap {
  const step = new YAMLMap(document.schema);
  step.set(document.createNode(keyOf[screen.kind]), block(screen.text));
  return step;
}

function replaceScreen(step: YAMLMap, { kind, text }: Screen): void {
  const [pair] = step.items;
  if (!pair) return;
  if (isScalar(pair.key)) pair.key.value = keyOf[kind];
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
