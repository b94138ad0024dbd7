import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { drawingOf } from '../../src/menu/graph/arrows.ts';
import { svgOf } from '../../src/menu/graph/svg.ts';
import { type Menu, menuSchema } from '../../src/menu/schema.ts';
import { menuIn } from './support.ts';

const shipped = readdirSync('fixtures/menus')
  .filter((name) => /\.(yaml|ts)$/.test(name))
  .map((name) => [name, menuIn(`fixtures/menus/${name}`)] as const);

/** Nine options that lead everywhere, back too, under conditions that no line holds; and a screen that nothing leads to. */
function tangled(): Menu {
  const names = Array.from({ length: 9 }, (_, n) => `screen-${n}-${'x'.repeat(20)}`);
  const when = {
    value: 'name',
    is: ['a'.repeat(90), 'Ama Mensah of Kumasi, at the lorry station, behind the bank'],
  };
  const options = names.map((to, n) => ({ label: 'Somewhere', to, ...(n % 2 === 0 && { when }) }));
  const choose = { kind: 'choose', text: 'Where to, from here? Say it in one number, please.', options };
  const screens = Object.fromEntries(names.map((name) => [name, choose]));
  const lost = { kind: 'end', text: 'Nothing leads here.' };
  return menuSchema.parse({ languages: ['en'], start: names[0], screens: { ...screens, lost, last: lost } });
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
const font = 11;

/** Where each text of a drawing stands, in the widest of the usual letters of one width. */
function textsOf(svg: string) {
  return [...svg.matchAll(/<text x="([\d.]+)" y="([\d.]+)"([^>]*)>([^<]*)<\/text>/g)].map(
    ([, x, y, style = '', escaped = '']) => {
      const text = escaped.replace(/&([^;]+);/g, (_, name: string) => entities[name] ?? '?');
      const width = [...text].length * font * 0.625;
      const left = Number(x) - (style.includes('"middle"') ? width / 2 : 0);
      const top = Number(y) - font * 0.95;
      return { text, left, right: left + width, top, bottom: top + font * 1.2 };
    },
  );
}

function boundsOf(svg: string) {
  const [, width, height] = /viewBox="0 0 (\d+) (\d+)"/.exec(svg) ?? [];
  return { width: Number(width), height: Number(height) };
}

describe.each([...shipped, ['a tangled one', tangled()] as const])('the drawing of %s', (_, menu) => {
  const drawing = drawingOf(menu);
  const svg = drawing ? svgOf(drawing) : '';
  const texts = textsOf(svg);
  const { width, height } = boundsOf(svg);

  test('says each screen, and each way from one to another', () => {
    expect(svg).toContain(`font-family="monospace" font-size="${font}"`);
    const said = texts.map(({ text }) => text);
    expect(said).toEqual(expect.arrayContaining(Object.keys(menu.screens)));
    const words = said.join(' ').replaceAll(' ', '');
    for (const { label } of drawing?.arrows ?? []) expect(words).toContain(label.replaceAll(' ', ''));
  });

  test('has no two texts on top of each other', () => {
    const over = texts.flatMap((one, i) =>
      texts
        .slice(i + 1)
        .filter(({ left, right, top, bottom }) => {
          return one.left < right && left < one.right && one.top < bottom && top < one.bottom;
        })
        .map((other) => `${one.text} | ${other.text}`),
    );
    expect(over).toEqual([]);
  });

  test('has everything inside of its bounds', () => {
    const outside = texts.filter(
      ({ left, right, top, bottom }) => left < 0 || top < 0 || right > width || bottom > height,
    );
    expect(outside).toEqual([]);
    const boxes = [...svg.matchAll(/<rect x="([\d.]+)" y="([\d.]+)" width="(\d+)" height="(\d+)"/g)];
    expect(boxes.length).toBeGreaterThan(0);
    for (const [, x, y, wide, high] of boxes) {
      expect(Number(x) + Number(wide)).toBeLessThanOrEqual(width);
      expect(Number(y) + Number(high)).toBeLessThanOrEqual(height);
    }
    // Arrows are made of M, V and H alone.
    for (const [, path = ''] of svg.matchAll(/<path d="(M[\d. VH]+)" fill="none"/g)) {
      const across = [...path.matchAll(/[MH]([\d.]+)/g)].map(([, at]) => Number(at));
      const down = [...path.matchAll(/(?:V|M[\d.]+ )([\d.]+)/g)].map(([, at]) => Number(at));
      expect(Math.max(...across)).toBeLessThanOrEqual(width);
      expect(Math.max(...down)).toBeLessThanOrEqual(height);
    }
  });
});
