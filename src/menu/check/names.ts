import { z } from 'zod';
import {
  type Condition,
  listRoutes,
  listValues,
  menuSchema,
  type Screen,
  screenSchema,
  type Taken,
  textSchema,
  withListNames,
} from '../schema.ts';
import type { Scalar } from '../text/format.ts';

/** A partly valid menu: invalid parts are absent, so that the remaining parts can still be checked. */
export const draftSchema = z.object({
  languages: z.array(z.string()).catch([]),
  start: menuSchema.shape.start.optional().catch(undefined),
  messages: z.record(z.string(), textSchema.optional().catch(undefined)).catch({}),
  answers: menuSchema.shape.answers.catch(undefined),
  screens: z
    .record(z.string(), screenSchema.optional().catch(undefined))
    .catch({})
    .transform((screens) => withListNames(screens)),
});
export type MenuDraft = z.output<typeof draftSchema>;

type Path = readonly (string | number)[];

/** Reports one problem: its path in the file, the expected value, and its kind of finding unless the menu is `invalid`. */
export type Report = (
  path: Path,
  message: string,
  kind?: 'missing_translation' | 'unreachable' | 'lost' | 'loop',
) => void;

/** Returns a report whose paths are relative to `base`. */
export function reportUnder(report: Report, base: Path): Report {
  return (path, message) => report([...base, ...path], message);
}

/** The kind of a value. */
export type ValueKind = 'text' | 'amount' | 'number' | 'list';

export type Names = {
  /** Each value with every kind that a screen gives it. */
  readonly values: ReadonlyMap<string, ReadonlySet<ValueKind>>;
  /** The fields of each list. */
  readonly lists: ReadonlyMap<string, ReadonlyMap<string, ValueKind>>;
};

/** Returns the names that screens of a menu define. */
export function collectNames(menu: MenuDraft): Names {
  const values = new Map<string, Set<ValueKind>>();
  const lists = new Map<string, Map<string, ValueKind>>();
  const add = (name: string, kind: ValueKind) => values.set(name, (values.get(name) ?? new Set()).add(kind));
  for (const screen of Object.values(menu.screens)) {
    for (const { name, kind, of } of listDefinitions(screen)) {
      add(name, kind);
      if (of) lists.set(name, new Map([...(lists.get(name) ?? []), ...of]));
    }
    for (const { name, of } of listOwnLists(screen)) lists.set(name, of);
  }
  return { values, lists };
}

type Definition = { name: string; kind: ValueKind; of?: Map<string, ValueKind> };

function listDefinitions(screen: Screen | undefined): Definition[] {
  switch (screen?.kind) {
    case 'ask':
      if (screen.answer === 'text') return [{ name: screen.name, kind: 'text' }];
      return screen.answer === 'number' ? [{ name: screen.name, kind: 'number' }] : [];
    case 'choose':
      return screen.options.flatMap(({ set }) =>
        Object.keys(set?.values ?? {}).map((name): Definition => ({ name, kind: 'text' })),
      );
    case 'lookup':
    case 'proxy':
      return listValues(screen.take).map(([name, taken]) => ({
        name,
        kind: getKind(taken),
        ...(taken.of && {
          of: new Map(Object.entries(taken.of).map(([field, one]) => [field, getKind(one)] as const)),
        }),
      }));
    default:
      return [];
  }
}

/** Returns the lists that stand in the menu itself. */
function listOwnLists(screen: Screen | undefined): { name: string; of: Map<string, ValueKind> }[] {
  if (screen?.kind !== 'choose') return [];
  return screen.options.flatMap(({ list: [first] = [], each: name }) => {
    if (first === undefined || name === undefined) return [];
    return { name, of: new Map(Object.entries(first).map(([field, value]) => [field, kindOfValue(value)])) };
  });
}

function kindOfValue(value: Scalar): ValueKind {
  if (typeof value === 'string') return 'text';
  return 'number' in value ? 'number' : 'amount';
}

function getKind({ text, amount, list }: Pick<Taken, 'text' | 'amount' | 'list'>): ValueKind {
  if (list !== undefined) return 'list';
  if (text !== undefined) return 'text';
  return amount === undefined ? 'number' : 'amount';
}

/** Returns the kinds of a name; `undefined` for an unknown name. `item` is the list whose item an option stands for. */
export function findKinds(
  name: string,
  { values, lists }: Names,
  item?: string,
): ReadonlySet<ValueKind> | undefined {
  if (name === 'amount') return new Set(['amount']);
  if (name === 'reference') return new Set(['text']);
  if (!name.startsWith('item.')) return values.get(name);
  const kind = item === undefined ? undefined : lists.get(item)?.get(name.slice('item.'.length));
  return kind && new Set([kind]);
}

/** Returns the conditions of a screen, with their paths and the list whose items they can use. */
export function listConditions(
  screen: Screen | undefined,
): { path: (string | number)[]; when: Condition; item?: string | undefined }[] {
  return listRoutes(screen).flatMap(({ path, to, option }) => {
    const { when, each: item } = option ?? {};
    const branches = typeof to === 'string' ? [] : to;
    return [
      ...(when === undefined ? [] : [{ path: [...path.slice(0, -1), 'when'], when, item }]),
      ...branches.flatMap((one, i) =>
        typeof one === 'string' ? [] : { path: [...path, i, 'when'], when: one.when, item },
      ),
    ];
  });
}
