import type { Arrow, Box, Drawing } from './arrows.ts';

const box = { width: 220, height: 48, across: 40, down: 64 };
const margin = 24;
const lane = 14;

type Placed = Box & { readonly x: number; readonly y: number; readonly row: number };

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
  const placed = place(drawing);
  const all = [...placed.values()];
  const right = Math.max(...all.map(({ x }) => x + box.width));
  const { arrows, lanes } = draw(drawing.arrows, placed, right);
  const width = right + lanes * lane + 2 * margin;
  const height = Math.max(...all.map(({ y }) => y + box.height)) + box.down;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="13">`,
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z" fill="#555"/></marker></defs>',
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    ...arrows,
    ...all.map(boxSvg),
    '</svg>\n',
  ].join('\n');
}

/** Each screen below all that lead to it, ways back left aside; what nothing leads to comes last. */
function place({ start, boxes, arrows }: Drawing): Map<string, Placed> {
  const order: string[] = [];
  const forward: Arrow[] = [];
  const open = new Set<string>();
  const visit = (name: string) => {
    open.add(name);
    for (const arrow of arrows) {
      if (arrow.from !== name || open.has(arrow.to)) continue;
      forward.push(arrow);
      if (!order.includes(arrow.to)) visit(arrow.to);
    }
    open.delete(name);
    order.unshift(name);
  };
  visit(start);
  const rows = new Map([[start, 0]]);
  for (const name of order) {
    for (const { from, to } of forward) {
      if (from === name) rows.set(to, Math.max(rows.get(to) ?? 0, (rows.get(name) ?? 0) + 1));
    }
  }
  const last = Math.max(...rows.values()) + 1;
  const filled = new Map<number, number>();
  return new Map(
    boxes.map((one) => {
      const row = rows.get(one.name) ?? last;
      const column = filled.get(row) ?? 0;
      filled.set(row, column + 1);
      const x = margin + column * (box.width + box.across);
      return [one.name, { ...one, row, x, y: margin + row * (box.height + box.down) }] as const;
    }),
  );
}

/** One row down an arrow is straight; every other has a lane of its own on the right. */
function draw(all: readonly Arrow[], placed: ReadonlyMap<string, Placed>, right: number) {
  let lanes = 0;
  const arrows = all.flatMap((arrow) => {
    const [a, b] = [placed.get(arrow.from), placed.get(arrow.to)];
    if (!a || !b) return [];
    const [x1, y1] = [a.x + share(all, arrow, 'from'), a.y + box.height];
    const [x2, y2] = [b.x + share(all, arrow, 'to'), b.y];
    const isNext = b.row === a.row + 1;
    if (!isNext) lanes++;
    const [below, above] = [y1 + 22 + (lanes % 5) * 4, y2 - 10 - (lanes % 4) * 3];
    const path = isNext ? `L${x2} ${y2}` : `V${below} H${right + lanes * lane} V${above} H${x2} V${y2}`;
    return [
      `<path d="M${x1} ${y1} ${path}" fill="none" stroke="#555" marker-end="url(#tip)"/>`,
      `<text x="${x1 + 4}" y="${y1 + 15}" fill="#246">${escaped(arrow.label)}</text>`,
    ];
  });
  return { arrows, lanes };
}

/** How far along its box an arrow leaves or arrives, so that each has a place of its own. */
function share(all: readonly Arrow[], arrow: Arrow, end: 'from' | 'to'): number {
  const beside = all.filter((other) => other[end] === arrow[end]);
  return Math.round((box.width * (beside.indexOf(arrow) + 1)) / (beside.length + 1));
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
