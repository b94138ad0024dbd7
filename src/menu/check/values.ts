import { type AmountOrName, type Condition, isMerchantScreen, type Preset, type Screen } from '../schema.ts';
import { isPlain } from '../state/answer.ts';
import { hasReferenceCharacters } from '../state/pattern.ts';
import { listAnswerLabels } from '../state/payment-answers.ts';
import { commonPlaceholders, listPlaceholders } from '../text/render.ts';
import {
  collectNames,
  findKinds,
  listConditions,
  type MenuDraft,
  type Names,
  type Report,
  reportUnder,
  type ValueKind,
} from './names.ts';

/** The names that a place in the menu can use. */
type Scope = {
  readonly names: Names;
  /** The list whose item an option stands for. */
  readonly item: string | undefined;
};

/** Checks that every name is defined, has the kind that its place requires, and has no other meaning. */
export function checkValues(menu: MenuDraft, report: Report): void {
  const names = collectNames(menu);
  const labels = listAnswerLabels(menu);
  for (const name of Object.keys(menu.answers ?? {}))
    if (!labels.has(name))
      report(['answers', name], `expected a name that a screen asks for or sets${listed(labels.keys())}`);
  checkReferenceValues(menu, report);
  for (const [name, screen] of Object.entries(menu.screens)) {
    const reportHere = reportUnder(report, ['screens', name]);
    checkDefinedNames(screen, reportHere);
    for (const { path, when, item } of listConditions(screen)) {
      checkCondition(menu, { names, item }, when, reportUnder(reportHere, path));
    }
    if (screen?.kind === 'choose') {
      for (const [i, { each, set }] of screen.options.entries()) {
        const reportOption = reportUnder(reportHere, ['options', i]);
        if (each !== undefined && !names.lists.has(each)) {
          reportOption(['each'], `expected the name of a list of a lookup${listed(names.lists.keys())}`);
        }
        if (set) checkPreset({ names, item: each }, set, reportUnder(reportOption, ['set']));
      }
    }
    if (screen?.kind === 'ask' && screen.answer === 'amount') {
      const { min, max } = screen;
      for (const [key, bound] of Object.entries({ min, max })) {
        checkAmount({ names, item: undefined }, bound, reportUnder(reportHere, [key]));
      }
    }
    if (screen?.kind === 'ask' && screen.answer === 'number' && screen.each !== undefined) {
      checkAmount({ names, item: undefined }, screen.each, reportUnder(reportHere, ['each']));
    }
  }
}

/**
 * Reports texts of the menu that references cannot contain, and answers without a pattern that references contain. Their other
 * characters become dashes, so that two answers can give one reference. Values of lookups are only converted.
 */
function checkReferenceValues({ screens }: Pick<MenuDraft, 'screens'>, report: Report): void {
  const options = Object.entries(screens).flatMap(([screen, one]) =>
    one?.kind === 'choose'
      ? one.options.map((option, i) => ({ ...option, path: ['screens', screen, 'options', i] }))
      : [],
  );
  const referenced = new Set(options.flatMap(({ set }) => listPlaceholders(set?.reference ?? '')));
  const expected = 'expected letters, digits, blanks or . / -';
  const reportText = (path: readonly (string | number)[], name: string) =>
    report(path, `${expected}, because a reference contains {${name}}`);
  for (const { path, list = [], set = {} } of options) {
    const values = Object.entries(set.values ?? {}).filter(([name]) => referenced.has(name));
    for (const [name, text] of values) {
      if (!hasReferenceCharacters(text.replace(/\{[^{}]*\}/g, '')))
        reportText([...path, 'set', 'values', name], name);
    }
    const inReferences = [set.reference ?? '', ...values.map(([, text]) => text)].flatMap(listPlaceholders);
    for (const [at, item] of list.entries()) {
      for (const [field, value] of Object.entries(item)) {
        if (!inReferences.includes(`item.${field}`) || typeof value !== 'string') continue;
        if (!hasReferenceCharacters(value)) reportText([...path, 'list', at], `item.${field}`);
      }
    }
  }
  for (const [name, screen] of Object.entries(screens)) {
    if (screen?.kind !== 'ask') continue;
    // An example that no handset can type is a dead end, which the proof of the menu reports.
    if (screen.answer === 'reference' && isPlain(screen.example) && !hasReferenceCharacters(screen.example))
      report(['screens', name, 'example'], expected);
    if (screen.answer !== 'text' || screen.pattern !== undefined || !referenced.has(screen.name)) continue;
    report(
      ['screens', name],
      `expected a pattern of letters, digits, blanks or . / -, because a reference contains {${screen.name}}: other characters become dashes there, and A_1 and A#1 would be one reference`,
    );
  }
}

function listed(names: Iterable<string>): string {
  const all = [...names];
  return all.length === 0 ? ': the menu has none' : `: ${all.join(', ')}`;
}

/** A screen must not define a name that every text uses already. */
function checkDefinedNames(screen: Screen | undefined, report: Report): void {
  const message = `expected a name other than ${commonPlaceholders.join(', ')}`;
  const isReserved = (name: string) => commonPlaceholders.includes(name) || name === 'item';
  if (screen?.kind === 'ask' && 'name' in screen && isReserved(screen.name)) report(['name'], message);
  if (isMerchantScreen(screen)) {
    for (const [name, { from = name }] of Object.entries(screen.take)) {
      if (isReserved(name)) report(['take', name], message);
      const endsPart = screen.kind === 'proxy' && from === 'done';
      if (endsPart) report(['take', name], 'expected a field other than done, which ends the part');
    }
  }
  if (screen?.kind !== 'choose') return;
  for (const [i, { set }] of screen.options.entries()) {
    for (const name of Object.keys(set?.values ?? {})) {
      if (isReserved(name)) report(['options', i, 'set', 'values', name], message);
    }
  }
}

function checkPreset(scope: Scope, set: Preset, report: Report): void {
  if (set.amount !== undefined) checkAmount(scope, set.amount, reportUnder(report, ['amount']));
  const texts = [
    ...(set.reference === undefined ? [] : [{ path: ['reference'], text: set.reference }]),
    ...Object.entries(set.values ?? {}).map(([name, text]) => ({ path: ['values', name], text })),
  ];
  for (const { path, text } of texts) {
    for (const name of listPlaceholders(text)) {
      if (commonPlaceholders.includes(name)) continue;
      const kinds = findKinds(name, scope.names, scope.item);
      if (!kinds || kinds.has('list')) report(path, `expected no {${name}} here: no screen sets it`);
    }
  }
}

function checkAmount({ names, item }: Scope, amount: AmountOrName, report: Report): void {
  if (typeof amount === 'number') return;
  if (findKinds(amount.from, names, item)?.has('amount')) return;
  report([], `expected an amount in quotes, or the name of an amount of a lookup, not {${amount.from}}`);
}

function checkCondition({ languages }: MenuDraft, scope: Scope, when: Condition, report: Report): void {
  for (const language of when.language ?? []) {
    if (!languages.includes(language)) report(['language'], `expected one of ${languages.join(', ')}`);
  }
  const { value } = when;
  if (value === undefined) return;
  const kinds = findKinds(value, scope.names, scope.item);
  if (!kinds) {
    const known = ['amount', 'reference', ...scope.names.values.keys()];
    report(['value'], `expected the name of a value: ${known.join(', ')}`);
    return;
  }
  for (const key of ['above', 'below', 'atLeast', 'atMost'] as const) {
    const bound = when[key];
    const required: ValueKind | undefined = bound && ('number' in bound ? 'number' : 'amount');
    if (required === undefined || kinds.has(required)) continue;
    const expected =
      required === 'number' ? 'an amount in quotes, such as "1.00"' : 'a whole number without quotes';
    const isComparable = kinds.has('amount') || kinds.has('number');
    report(
      [key],
      isComparable
        ? `expected ${expected}`
        : `expected is, not or known: ${value} is not an amount or a number`,
    );
  }
}
