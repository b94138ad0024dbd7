import { unreachable } from '../../shared/errors.ts';
import { pick } from '../render.ts';
import type { Menu, Screen } from '../schema.ts';

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
const mostBoxes = 200;

/** A menu as boxes and arrows, in its first language; `undefined` when it has too many screens to be drawn. */
export function drawingOf(menu: Menu): Drawing | undefined {
  const screens = Object.entries(menu.screens);
  if (screens.length > mostBoxes) return undefined;
  const [language] = menu.languages;
  return {
    start: menu.start,
    boxes: screens.map(([name, { kind, text }]) => ({ name, kind, line: firstLine(pick(text, language)) })),
    arrows: screens.flatMap(([name, screen]) => arrowsFrom(name, screen)),
  };
}

const longestLine = 28;

function firstLine(text: string): string {
  const line = text.trim().split('\n')[0] ?? '';
  return line.length > longestLine ? `${line.slice(0, longestLine - 3)}...` : line;
}

function arrowsFrom(from: string, screen: Screen): Arrow[] {
  switch (screen.kind) {
    case 'choose': {
      const digits = new Map<string, string[]>();
      for (const [i, { to }] of screen.options.entries()) {
        digits.set(to, [...(digits.get(to) ?? []), String(i + 1)]);
      }
      return [...digits].map(([to, all]) => ({ from, to, label: all.join(', ') }));
    }
    case 'ask':
      return [{ from, to: screen.to, label: screen.answer }];
    case 'confirm':
      return [{ from, to: screen.to, label: 'yes' }];
    case 'end':
      return [];
    default:
      return unreachable(screen);
  }
}
