import { operatorByPrefix } from '../../shared/msisdn.ts';
import { septets } from '../../shared/screen-text.ts';
import { commonPlaceholders, placeholdersOf, valuesOf } from '../render.ts';
import type { Menu, Screen, Text } from '../schema.ts';
import type { Answers, MenuContext } from '../state.ts';

/** What of a payer's answers a screen can tell. */
export type Shape = {
  /** Which answers there are, and whose operator the payer's number has. */
  readonly kind: string;
  /** How many septets each takes that some text of the menu shows. */
  readonly room: readonly number[];
};

/** The shape of answers in a menu. The same answers are looked at once. */
export function shapeOf(menu: Menu, context: MenuContext): (answers: Answers) => Shape {
  const texts = Object.values(menu.screens).flatMap(textsOf).flatMap(linesOf);
  const shown = [...new Set(texts.flatMap(placeholdersOf))];
  const own = shown.filter((name) => !commonPlaceholders.includes(name));
  const names = ['amount', 'amount_words', 'reference', ...own].filter((name) => shown.includes(name));
  const known = new WeakMap<Answers, Shape>();
  return (answers) => {
    const shape = known.get(answers) ?? measure(answers, names, context);
    known.set(answers, shape);
    return shape;
  };
}

function measure(answers: Answers, names: readonly string[], context: MenuContext): Shape {
  const { amountMinor, payer, operator, reference, texts = {} } = answers;
  const values = valuesOf(answers, context);
  const other = payer !== undefined && payer !== context.dialler && operatorByPrefix(payer);
  const isThere = [amountMinor, reference].map((value) => value !== undefined);
  return {
    kind: JSON.stringify([isThere, Object.keys(texts).sort(), other, operator]),
    room: names.map((name) => septets(values[name] ?? '')),
  };
}

/** True when one of the known answers takes at least as much room in everything. */
export function isCovered(known: readonly Shape['room'][], room: Shape['room']): boolean {
  return known.some((one) => one.every((septets, i) => septets >= (room[i] ?? 0)));
}

function textsOf(screen: Screen): Text[] {
  if (screen.kind === 'choose') return [screen.text, ...screen.options.map(({ label }) => label)];
  if (screen.kind === 'end') return [screen.text, ...Object.values(screen.operators)];
  return [screen.text];
}

function linesOf(text: Text): string[] {
  return typeof text === 'string' ? [text] : Object.values(text);
}
