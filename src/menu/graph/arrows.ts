import { unreachable } from '../../shared/errors.ts';
import type { ChooseScreen, Menu, Route, Screen } from '../schema.ts';
import { pick } from '../text/render.ts';
import { conditionWords } from './condition-words.ts';

/** One screen of a drawing. */
export type Box = { readonly name: string; readonly kind: Screen['kind']; readonly line: string };

/** What leads from one screen to another: several options to the same screen are one arrow. */
export type Arrow = { readonly from: string; readonly to: string; readonly label: string };

export type Drawing = {
  readonly start: string;
  readonly boxes: readonly Box[];
  readonly arrows: readonly Arrow[];
};

/** More would be no drawing that anybody reads. */
const maxBoxes = 200;

/** A menu as boxes and arrows, in its first language; `undefined` when it has too many screens to be drawn. */
export function drawingOf(menu: Menu): Drawing | undefined {
  const screens = Object.entries(menu.screens);
  if (screens.length > maxBoxes) return undefined;
  const [language] = menu.languages;
  return {
    start: menu.start,
    boxes: screens.map(([name, screen]) => ({ name, kind: screen.kind, line: lineOf(screen, language) })),
    arrows: screens.flatMap(([name, screen]) => arrowsFrom(name, screen)),
  };
}

/** What a screen begins with; whom a look-up asks. */
function lineOf(screen: Screen, language: string): string {
  if (screen.kind !== 'lookup') return firstLine(pick(screen.text, language));
  return firstLine(screen.url ?? 'find');
}

const maxLineLength = 28;

function firstLine(text: string): string {
  const line = text.trim().split('\n')[0] ?? '';
  return line.length > maxLineLength ? `${line.slice(0, maxLineLength - 3)}...` : line;
}

function arrowsFrom(from: string, screen: Screen): Arrow[] {
  return joined(waysFrom(screen)).map(({ to, label }) => ({ from, to, label }));
}

type Labelled = { readonly to: string; readonly label: string };

/** One arrow to each screen, with all that leads there. */
function joined(ways: readonly Labelled[]): Labelled[] {
  const labels = new Map<string, string[]>();
  for (const { to, label } of ways) labels.set(to, [...(labels.get(to) ?? []), label]);
  return [...labels].map(([to, all]) => ({ to, label: all.join(', ') }));
}

function waysFrom(screen: Screen): Labelled[] {
  switch (screen.kind) {
    case 'choose':
      return optionWays(screen);
    case 'ask':
      return routeWays(screen.to, screen.answer);
    case 'lookup':
      return [
        ...routeWays(screen.found, 'found'),
        ...routeWays(screen.notFound, 'not found'),
        ...routeWays(screen.fallback, 'no answer'),
      ];
    case 'confirm':
      return [{ to: screen.to, label: 'yes' }];
    case 'end':
    case 'status':
    case 'requests':
      return [];
    default:
      return unreachable(screen);
  }
}

/** Options by their places in the file: which number chooses one depends on those above that do not hold. */
function optionWays({ options }: ChooseScreen): Labelled[] {
  return options.flatMap(({ to, each, when }, i) => {
    const what = each === undefined ? String(i + 1) : `each of ${each}`;
    return routeWays(to, when === undefined ? what : `${what} if ${conditionWords(when)}`);
  });
}

function routeWays(to: Route | undefined, what: string): Labelled[] {
  if (to === undefined) return [];
  if (typeof to === 'string') return [{ to, label: what }];
  return to.map((one) =>
    typeof one === 'string'
      ? { to: one, label: `${what}, else` }
      : { to: one.to, label: `${what}, ${conditionWords(one.when)}` },
  );
}
