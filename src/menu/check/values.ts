import type { AmountOrName, Condition, Preset, Screen } from '../schema.ts';
import { commonPlaceholders, placeholdersOf } from '../text/render.ts';
import type { MenuDraft, Report } from './draft.ts';
import { conditionsOf, type Kind, kindsOf, type Names, namesOf } from './names.ts';

/** Every name must be known where it is used, and of the kind that is wanted there; and mean nothing else. */
export function checkValues(menu: MenuDraft, report: Report): void {
  const names = namesOf(menu);
  for (const [name, screen] of Object.entries(menu.screens)) {
    const under = ['screens', name];
    const tell: Report = (path, message) => report([...under, ...path], message);
    checkGiven(screen, tell);
    for (const { path, when, item } of conditionsOf(screen))
      checkCondition(menu, names, when, item, path, tell);
    if (screen?.kind === 'choose') {
      for (const [i, { each, set }] of screen.options.entries()) {
        if (each !== undefined && !names.lists.has(each)) {
          tell(
            ['options', i, 'each'],
            `expected the name of a list that a look-up takes${listed(names.lists.keys())}`,
          );
        }
        if (set) checkPreset(names, set, each, ['options', i, 'set'], tell);
      }
    }
    if (screen?.kind === 'ask' && screen.answer === 'number' && screen.each !== undefined) {
      checkAmount(names, screen.each, undefined, ['each'], tell);
    }
  }
}

function listed(names: Iterable<string>): string {
  const all = [...names];
  return all.length === 0 ? ': there is none' : `: ${all.join(', ')}`;
}

/** What a screen calls a value must not be what every text already calls something else. */
function checkGiven(screen: Screen | undefined, report: Report): void {
  const taken = `expected a name other than ${commonPlaceholders.join(', ')}`;
  const isTaken = (name: string) => commonPlaceholders.includes(name) || name === 'item';
  if (screen?.kind === 'ask' && 'name' in screen && isTaken(screen.name)) report(['name'], taken);
  if (screen?.kind === 'lookup') {
    for (const name of Object.keys(screen.take)) if (isTaken(name)) report(['take', name], taken);
  }
  if (screen?.kind !== 'choose') return;
  for (const [i, { set }] of screen.options.entries()) {
    for (const name of Object.keys(set?.values ?? {})) {
      if (isTaken(name)) report(['options', i, 'set', 'values', name], taken);
    }
  }
}

type Path = readonly (string | number)[];

function checkPreset(names: Names, set: Preset, item: string | undefined, path: Path, report: Report): void {
  if (set.amount !== undefined) checkAmount(names, set.amount, item, [...path, 'amount'], report);
  const texts = [
    ...(set.reference === undefined ? [] : [{ at: ['reference'], text: set.reference }]),
    ...Object.entries(set.values ?? {}).map(([name, text]) => ({ at: ['values', name], text })),
  ];
  for (const { at, text } of texts) {
    for (const name of placeholdersOf(text)) {
      if (commonPlaceholders.includes(name)) continue;
      const kinds = kindsOf(name, names, item);
      if (!kinds || kinds.has('list'))
        report([...path, ...at], `expected no {${name}} here: no screen gives it`);
    }
  }
}

function checkAmount(
  names: Names,
  asked: AmountOrName,
  item: string | undefined,
  path: Path,
  report: Report,
): void {
  if (typeof asked === 'number') return;
  const kinds = kindsOf(asked.from, names, item);
  if (kinds?.has('amount')) return;
  report(
    path,
    `expected an amount in quotes, or the name of an amount that a look-up takes, not {${asked.from}}`,
  );
}

function checkCondition(
  { languages }: MenuDraft,
  names: Names,
  when: Condition,
  item: string | undefined,
  path: Path,
  report: Report,
): void {
  for (const language of when.language ?? []) {
    if (!languages.includes(language))
      report([...path, 'language'], `expected one of ${languages.join(', ')}`);
  }
  const { value } = when;
  if (value === undefined) return;
  const kinds = kindsOf(value, names, item);
  if (!kinds) {
    const known = ['amount', 'reference', ...names.values.keys()];
    report([...path, 'value'], `expected the name of a value: ${known.join(', ')}`);
    return;
  }
  for (const key of ['above', 'below', 'atLeast', 'atMost'] as const) {
    const bound = when[key];
    const wanted: Kind | undefined = bound && ('number' in bound ? 'number' : 'amount');
    if (wanted === undefined || kinds.has(wanted)) continue;
    const expected =
      wanted === 'number' ? 'an amount in quotes, such as "1.00"' : 'a whole number without quotes';
    const only = kinds.has('amount') || kinds.has('number');
    report([...path, key], only ? `expected ${expected}` : `expected is, not or known: ${value} has no size`);
  }
}
