import type { Box, Drawing } from './arrows.ts';
import { font } from './label.ts';
import { place } from './layout.ts';
import { box, type Routed, route } from './route.ts';

type Placed = Routed['boxes'][number];

const fills: Readonly<Record<Box['kind'], string>> = {
  choose: '#eef4ff',
  ask: '#fff7e0',
  lookup: '#f1e8fb',
  confirm: '#ffe9e4',
  status: '#e4f4f4',
  requests: '#f3f3f3',
  end: '#e8f7ea',
};

/** The drawing as an SVG: rows of screens from the dial downwards, and arrows that pass between the boxes. */
export function svgOf(drawing: Drawing): string {
  const { width, height, boxes, arrows } = route(drawing.arrows, place(drawing));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="${font.family}" font-size="${font.size}">`,
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z" fill="#555"/></marker></defs>',
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    ...arrows.map(({ path }) => `<path d="${path}" fill="none" stroke="#555" marker-end="url(#tip)"/>`),
    ...arrows.flatMap(({ words }) => wordsSvg(words)),
    ...boxes.map(boxSvg),
    '</svg>\n',
  ].join('\n');
}

/** Words keep the lines behind them at a distance. */
function wordsSvg({ x, y, lines }: Routed['arrows'][number]['words']): string[] {
  return lines.map(
    (line, i) =>
      `<text x="${x}" y="${y + i * font.line}" fill="#246" stroke="#fff" stroke-width="3" paint-order="stroke">${escaped(line)}</text>`,
  );
}

/** The outline of each kind, from corner to corner in a box of its size: a look-up slants, a question of trust has points. */
const outlines: Readonly<Partial<Record<Box['kind'], readonly (readonly [x: number, y: number])[]>>> = {
  lookup: [
    [14, 0],
    [box.width, 0],
    [box.width - 14, box.height],
    [0, box.height],
  ],
  confirm: [
    [14, 0],
    [box.width - 14, 0],
    [box.width, box.height / 2],
    [box.width - 14, box.height],
    [14, box.height],
    [0, box.height / 2],
  ],
  requests: [
    [0, 0],
    [box.width, 0],
    [box.width - 14, box.height],
    [14, box.height],
  ],
};

function outlineSvg({ kind, x, y }: Placed): string {
  const paint = `fill="${fills[kind]}" stroke="#555"`;
  const corners = outlines[kind];
  if (corners) {
    const points = corners.map(([right, down]) => `${x + right},${y + down}`).join(' ');
    return `<polygon points="${points}" ${paint}/>`;
  }
  const radius = kind === 'end' ? box.height / 2 : 4;
  const whole = `<rect x="${x}" y="${y}" width="${box.width}" height="${box.height}" rx="${radius}" ${paint}/>`;
  if (kind !== 'status') return whole;
  const sides = [x + 8, x + box.width - 8].map((at) => `M${at} ${y}V${y + box.height}`);
  return `${whole}<path d="${sides.join('')}" stroke="#555"/>`;
}

function boxSvg(placed: Placed): string {
  const { name, line, x, y } = placed;
  const middle = x + box.width / 2;
  return [
    outlineSvg(placed),
    `<text x="${middle}" y="${y + 20}" text-anchor="middle" font-weight="bold">${escaped(name)}</text>`,
    `<text x="${middle}" y="${y + 38}" text-anchor="middle" fill="#444">${escaped(line)}</text>`,
  ].join('');
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => entities[sign] ?? '');
}
