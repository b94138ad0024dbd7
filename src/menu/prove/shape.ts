import { operatorByPrefix } from '../../shared/msisdn.ts';
import { septets } from '../../shared/screen-text.ts';
import { quoteFor } from '../effects/quote.ts';
import type { Menu } from '../schema.ts';
import { type Answers, endStates, type MenuContext, type MenuState, type Quote } from '../state/state.ts';
import { type Item, isList, type Value } from '../state/value.ts';
import { showValue } from '../text/format.ts';
import { type TemplateValues, templateValuesOf } from '../text/render.ts';
import { cellOf, distinctionsOf } from './distinctions.ts';
import { type Use, type Uses, usesAheadOf } from './uses.ts';

/** What of a payer's answers the screens ahead can tell. */
export type Shape = {
  /** Which answers there are, on which side of every condition, and whose operator the payer's number has. */
  readonly kind: string;
  /** How many septets each takes that some text shows. */
  readonly room: readonly number[];
};

/** A screen, and the answers that it has. */
export type Standpoint = Pick<MenuState, 'screen' | 'answers' | 'quoted'>;

/** The shape of answers on a screen. The same answers are looked at once. */
export function shapeOf(menu: Menu, context: MenuContext): (at: Standpoint) => Shape {
  const distinctions = distinctionsOf(menu);
  const usesAhead = usesAheadOf(menu);
  const known = new WeakMap<Answers, Map<Uses, Shape>>();
  const measure = (answers: Answers, { shown, asked, lists }: Uses, quote: Quote | undefined): Shape => {
    const values: TemplateValues = {
      ...templateValuesOf(answers, context, quote),
      amount: amountOf(answers),
    };
    const names = new Set([...asked, ...shown.map(({ name }) => name)].filter((name) => !isFixed(name)));
    const cells = [...names].map((name) =>
      valuesUnder(name, values).map((value) => cellOf(value, distinctions(name))),
    );
    const { payer, operator } = answers;
    const other = payer !== undefined && payer !== context.dialler && operatorByPrefix(payer);
    const sizes = lists.map((name) => cellOf(values[name], distinctions(name)));
    return {
      kind: JSON.stringify([
        answers.amountMinor !== undefined,
        other,
        operator,
        quote !== undefined,
        sizes,
        cells,
      ]),
      room: shown.map((use) => roomOf(use, values)),
    };
  };
  return (at) => {
    if (isOver(at)) return over;
    const uses = usesAhead(at.screen);
    const quote = quoteFor(at, context);
    if (quote) return measure(at.answers, uses, quote);
    const byUses = known.get(at.answers) ?? new Map<Uses, Shape>();
    known.set(at.answers, byUses);
    const shape = byUses.get(uses) ?? measure(at.answers, uses, undefined);
    byUses.set(uses, shape);
    return shape;
  };
}

/** Nothing comes after the last word. */
const over: Shape = { kind: '', room: [] };

function isOver({ screen }: Standpoint): boolean {
  return Object.values<string>(endStates).includes(screen);
}

function amountOf({ amountMinor }: Answers): Value | undefined {
  return amountMinor === undefined ? undefined : { amountMinor };
}

/** Placeholders whose values are there in every dialogue, of one length. */
function isFixed(name: string): boolean {
  return [
    'merchant',
    'payer',
    'short_reference',
    'approvals',
    'fee',
    'total',
    'charge',
    'amount_words',
  ].includes(name);
}

/** A name's value, or, for the field of a list, all that its items have. */
function valuesUnder(name: string, values: TemplateValues): (Value | undefined)[] {
  const [list = '', field] = name.split('.');
  if (field === undefined) return [values[name]];
  const items = values[list];
  const all = typeof items === 'object' && isList(items) ? items : [];
  const different = new Map(all.map((item: Item) => [JSON.stringify(item[field]), item[field]] as const));
  return [...different.values()];
}

function roomOf({ name, format }: Use, values: TemplateValues): number {
  return Math.max(0, ...valuesUnder(name, values).map((value) => septets(showValue(value, format))));
}

/** True when one of the known answers takes at least as much room in everything. */
export function isCovered(known: readonly Shape['room'][], room: Shape['room']): boolean {
  return known.some((one) => one.every((septets, i) => septets >= (room[i] ?? 0)));
}
