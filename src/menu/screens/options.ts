import { amountMinor, maxAmountMinor } from '../../shared/money.ts';
import type { AmountOrName, ChooseScreen, Option, Preset } from '../schema.ts';
import { holds } from '../state/condition.ts';
import type { Answers, MenuContext, MenuState } from '../state/state.ts';
import { isList, type Value } from '../state/value.ts';
import {
  fill,
  itemTemplateValues,
  placeholdersOf,
  type TemplateValues,
  templateValuesOf,
} from '../text/render.ts';

/** An option as a payer sees it: one of the menu's, or one for an item of a list. */
export type OfferedOption = {
  readonly option: Option;
  /** Where it stands in the file. */
  readonly at: number;
  /** The item that it stands for, as `{item.…}`. */
  readonly item: TemplateValues;
};

/** The most that one screen offers: keys such as `40` and `99` stay free. */
export const maxOfferedOptions = 39;

/** The options of a screen that hold, in order: the first is chosen with `1`. */
export function optionsOf(
  screen: ChooseScreen,
  state: Pick<MenuState, 'answers' | 'language'>,
  context: MenuContext,
): OfferedOption[] {
  return allOptionsOf(screen, state, context).slice(0, maxOfferedOptions);
}

/** The same, however many there are. */
export function allOptionsOf(
  screen: ChooseScreen,
  state: Pick<MenuState, 'answers' | 'language'>,
  context: MenuContext,
): OfferedOption[] {
  return screen.options
    .flatMap((option, at): OfferedOption[] => {
      const items = option.each === undefined ? [{}] : itemsOf(state.answers.values?.[option.each]);
      return items.map((item) => ({ option, at, item }));
    })
    .filter(({ option: { when }, item }) => when === undefined || holds(when, state, context, item));
}

function itemsOf(list: Value | undefined): TemplateValues[] {
  return typeof list === 'object' && isList(list) ? list.map(itemTemplateValues) : [];
}

/** The answers after an option has given its own on the payer's behalf. */
export function applyPreset(
  preset: Preset,
  answers: Answers,
  context: MenuContext,
  item: TemplateValues = {},
): Answers {
  const { amountMinor, reference, payer, operator, ...rest } = answers;
  const isOwn = preset.payer === 'own';
  const templateValues = { ...templateValuesOf(answers, context), ...item };
  const values = Object.entries(preset.values ?? {}).map(([name, text]) => [
    name,
    fill(text, templateValues),
  ]);
  return {
    ...rest,
    ...withoutUndefined<Answers>({
      payer: isOwn ? undefined : payer,
      operator: preset.operator ?? (isOwn ? undefined : operator),
      // What the menu says and nobody knows is not what was said before.
      amountMinor: preset.amount === undefined ? amountMinor : amountOf(preset.amount, templateValues),
      reference: referenceAfter(preset.reference, reference, templateValues),
    }),
    ...(values.length === 0 ? {} : { values: { ...rest.values, ...Object.fromEntries(values) } }),
  };
}

function withoutUndefined<T>(values: { readonly [K in keyof T]?: T[K] | undefined }): Partial<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<T>;
}

/** The reference that a preset makes. One that adds to the reference leaves it as it is where nothing can be added. */
function referenceAfter(
  preset: string | undefined,
  before: string | undefined,
  templateValues: TemplateValues,
): string | undefined {
  if (preset === undefined) return before;
  const made = cut(fill(preset, templateValues));
  if (made !== '') return made;
  return placeholdersOf(preset).includes('reference') ? before : undefined;
}

/** The interface takes references of up to 64 characters; no letter of two is torn apart. */
function cut(reference: string): string {
  return reference
    .slice(0, 64)
    .replace(/\p{Surrogate}$/u, '')
    .trim();
}

/** The amount that the menu says or a name stands for, `count` times; `undefined` for none that could be collected. */
export function amountOf(asked: AmountOrName, templateValues: TemplateValues, count = 1) {
  const one = typeof asked === 'number' ? asked : minorOf(templateValues[asked.from]);
  if (one === undefined) return undefined;
  const total = one * count;
  return total > 0 && total <= maxAmountMinor ? amountMinor(total) : undefined;
}

function minorOf(value: Value | undefined): number | undefined {
  return typeof value === 'object' && 'amountMinor' in value ? value.amountMinor : undefined;
}
