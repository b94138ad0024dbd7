import { amountMinor, maxAmountMinor } from '../../shared/money.ts';
import type { AmountOrName, ChooseScreen, Menu, Option, Preset } from '../schema.ts';
import { holds } from '../state/condition.ts';
import { toReference } from '../state/pattern.ts';
import type { Answers, MenuContext, MenuState } from '../state/state.ts';
import { isList, type Value } from '../text/format.ts';
import {
  createTemplateValues,
  fill,
  itemTemplateValues,
  listPlaceholders,
  type TemplateValues,
  templateValue,
} from '../text/render.ts';

/** An option on the screen: an option of the menu, or the one for an item of a list. */
export type OfferedOption = {
  readonly option: Option;
  /** The position of the option in the menu file. */
  readonly at: number;
  /** The item of the list, as `{item.…}`; empty for other options. */
  readonly item: TemplateValues;
};

/** The item of an option that is for no item of a list. */
const noItem: TemplateValues = {};

/** Options of one screen. */
export const maxOfferedOptions = 200;

/** The options that a screen shows, in order: key `1` chooses the first. */
export function listOptions(
  screen: ChooseScreen,
  state: Pick<MenuState, 'answers' | 'language'>,
  context: MenuContext,
): OfferedOption[] {
  return screen.options
    .flatMap((option, at): OfferedOption[] => {
      return listItems(option, state).map((item) => ({ option, at, item }));
    })
    .filter(({ option: { when }, item }) => when === undefined || holds(when, state, context, item))
    .slice(0, maxOfferedOptions);
}

/** The items of an option's list, the one item of an option without a list, or none. */
function listItems(
  { list, each }: Option,
  { answers }: Pick<MenuState, 'answers'>,
): readonly TemplateValues[] {
  if (each === undefined) return [noItem];
  const items = list ?? answers.values?.[each];
  return typeof items === 'object' && isList(items) ? items.map(itemTemplateValues) : [];
}

/** The numbers of options, from 1, without those that are keys of every screen. */
export function optionNumbers(count: number, { back, home, more }: Menu['keys']): string[] {
  const keys = new Set([back, home, ...more]);
  const numbers: string[] = [];
  for (let number = 1; numbers.length < count; number++) {
    if (!keys.has(String(number))) numbers.push(String(number));
  }
  return numbers;
}

/** The answers after the preset of an option. */
export function applyPreset(
  preset: Preset,
  answers: Answers,
  context: MenuContext,
  item: TemplateValues = noItem,
): Answers {
  const { amountMinor, reference, payer, operator, ...rest } = answers;
  const isOwn = preset.payer === 'own';
  const own = createTemplateValues(answers, context);
  const templateValues = item === noItem ? own : { ...own, ...item };
  const values = Object.entries(preset.values ?? {}).map(([name, text]) => [
    name,
    fill(text, templateValues),
  ]);
  return {
    ...rest,
    ...withoutUndefined<Answers>({
      payer: isOwn ? undefined : payer,
      operator: preset.operator ?? (isOwn ? undefined : operator),
      // An amount without a value is unknown; it does not keep the amount before it.
      amountMinor: preset.amount === undefined ? amountMinor : resolveAmount(preset.amount, templateValues),
      reference: referenceAfter(preset.reference, reference, templateValues),
    }),
    ...(values.length === 0 ? {} : { values: { ...rest.values, ...Object.fromEntries(values) } }),
  };
}

function withoutUndefined<T>(values: { readonly [K in keyof T]?: T[K] | undefined }): Partial<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<T>;
}

/** The reference after a preset. A preset that extends the reference keeps it when it has no value to add. */
function referenceAfter(
  preset: string | undefined,
  before: string | undefined,
  templateValues: TemplateValues,
): string | undefined {
  if (preset === undefined) return before;
  const filled = toReference(fill(preset, templateValues));
  if (filled !== '') return filled;
  return listPlaceholders(preset).includes('reference') ? before : undefined;
}

/** The amount, or the amount under a name, times `count`; `undefined` when it cannot be collected. */
export function resolveAmount(source: AmountOrName, templateValues: TemplateValues, count = 1) {
  const one = typeof source === 'number' ? source : toMinor(templateValue(templateValues, source.from));
  if (one === undefined) return undefined;
  const total = one * count;
  return total > 0 && total <= maxAmountMinor ? amountMinor(total) : undefined;
}

function toMinor(value: Value | undefined): number | undefined {
  return typeof value === 'object' && 'amountMinor' in value ? value.amountMinor : undefined;
}
