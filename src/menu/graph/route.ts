import type { Arrow } from './arrows.ts';
import { font, labelLines, widthOf } from './label.ts';
import type { Placed } from './layout.ts';
import { type Span, shareLines } from './share-lines.ts';

export const box = { width: 240, height: 48 } as const;
const margin = 24;
/** Between columns of boxes, besides the lanes that pass there. */
const between = 24;
const lane = 8;
/** Arrows leave a box on every other line of it, and arrive on those between. */
const grid = 8;
const maxOnGrid = 13;
/** Above the first level of a gap and below the last, and below the words of each. */
const inset = 14;
const below = 5;

/** A level of a gap: where arrows run from side to side, under their words. */
type Run = { readonly gap: number; readonly span: Span; readonly lines: readonly string[] };
type Lane = { readonly corridor: number; readonly at: number };

export type Routed = {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly (Placed & { readonly x: number; readonly y: number })[];
  readonly arrows: readonly {
    readonly path: string;
    readonly words: { readonly x: number; readonly y: number; readonly lines: readonly string[] };
  }[];
};

/**
 * Where everything stands. Boxes stand in rows and columns; between two rows is a gap, between two columns a corridor.
 * Every arrow goes down into the gap below its box and along a level of it, whose words stand above the line. To the row
 * below it goes straight on; to others it takes a lane of a corridor to the gap above its screen. No two words share a
 * place on a level, and no two arrows a place in a lane.
 */
export function route(arrows: readonly Arrow[], placed: ReadonlyMap<string, Placed>): Routed {
  const all = [...placed.values()];
  const ends = arrows.flatMap((arrow) => {
    const [from, to] = [placed.get(arrow.from), placed.get(arrow.to)];
    return from && to ? [{ arrow, from, to }] : [];
  });
  const lanes = lanesOf(ends);
  const columns = Math.max(...all.map(({ column }) => column)) + 1;
  const rows = Math.max(...all.map(({ row }) => row)) + 1;

  const widths = counted(
    columns + 1,
    [...lanes.values()].map(({ corridor, at }) => [corridor, at + 1] as const),
  );
  const corridorAt = (corridor: number) =>
    margin + sum(widths.slice(0, corridor).map((count) => between + count * lane)) + corridor * box.width;
  const columnAt = (column: number) => corridorAt(column) + between + (widths[column] ?? 0) * lane;
  const laneAt = ({ corridor, at }: Lane) => corridorAt(corridor) + between / 2 + at * lane;

  const ways = ends.map((end) => {
    const { arrow, from, to } = end;
    const across = lanes.get(end);
    const x1 = columnAt(from.column) + portOf(ends, end, 'from');
    const port = columnAt(to.column) + portOf(ends, end, 'to');
    // Straight down, where it nearly is.
    const x2 = across === undefined && Math.abs(port - x1) <= grid ? x1 : port;
    const lines = labelLines(arrow.label);
    const turn = across === undefined ? x2 : laneAt(across);
    const words = x1 + 5;
    const first = { gap: from.row, span: spanOf(x1, turn, words + widthOf(lines)), lines };
    const second = { gap: to.row - 1, span: spanOf(turn, x2), lines: [] };
    return { x1, x2, turn, words, from, to, runs: across === undefined ? [first] : [first, second] };
  });
  const levels = levelsOf(ways.flatMap(({ runs }) => runs));

  // The gap above the first row is that of -1.
  const heights = Array.from({ length: rows + 1 }, (_, i) => levels.heightOf(i - 1));
  const gapAt = (gap: number) => margin + sum(heights.slice(0, gap + 1)) + (gap + 1) * box.height;
  const rowAt = (row: number) => gapAt(row - 1) + levels.heightOf(row - 1);

  const drawn = ways.map(({ x1, x2, turn, words, from, to, runs: [first, second] }) => {
    const start = rowAt(from.row) + box.height;
    const along = first === undefined ? start : gapAt(first.gap) + levels.depthOf(first);
    const end = rowAt(to.row);
    const on = second === undefined ? '' : `V${gapAt(second.gap) + levels.depthOf(second)}H${x2}`;
    const lines = first?.lines ?? [];
    return {
      path: `M${x1} ${start}V${along}H${turn}${on}V${end}`,
      words: { x: words, y: along - below - (lines.length - 1) * font.line, lines },
    };
  });
  const right = Math.max(
    corridorAt(columns) + between + (widths[columns] ?? 0) * lane,
    ...ways.flatMap(({ runs }) => runs.map(({ span }) => span.to)),
  );
  return {
    width: Math.ceil(right) + margin,
    height: gapAt(rows - 1) + levels.heightOf(rows - 1) + margin,
    boxes: all.map((one) => ({ ...one, x: columnAt(one.column), y: rowAt(one.row) })),
    arrows: drawn,
  };
}

type End = { readonly arrow: Arrow; readonly from: Placed; readonly to: Placed };

/** Arrows to the row below need no lane; the others take one beside the screen that they lead to, on the side they come from. */
function lanesOf(ends: readonly End[]): Map<End, Lane> {
  const far = ends.filter(({ from, to }) => to.row !== from.row + 1);
  const found = new Map<End, Lane>();
  const corridorOf = ({ from, to }: End) => (from.column > to.column ? to.column + 1 : to.column);
  for (const corridor of new Set(far.map(corridorOf))) {
    const here = far.filter((one) => corridorOf(one) === corridor);
    const lines = shareLines(here.map(({ from, to }) => spanOf(from.row * 100, (to.row - 1) * 100)));
    for (const [i, one] of here.entries()) found.set(one, { corridor, at: lines[i] ?? 0 });
  }
  return found;
}

/** How far along its box an arrow leaves or arrives: each has a place of its own, in the order in which they part. */
function portOf(ends: readonly End[], end: End, side: 'from' | 'to'): number {
  const other = side === 'from' ? 'to' : 'from';
  const beside = ends
    .filter((one) => one[side].name === end[side].name)
    .sort((a, b) => a[other].column - b[other].column);
  const share = (box.width * (beside.indexOf(end) + 1)) / (beside.length + 1);
  if (beside.length > maxOnGrid) return share;
  // Those that leave and those that arrive pass beside each other.
  return grid * (2 * Math.round(share / grid / 2) + (side === 'from' ? 0 : 1));
}

/** How deep in its gap each run lies, and how high the gaps are. */
function levelsOf(runs: readonly Run[]) {
  const depths = new Map<Run, number>();
  const heights = new Map<number, number>();
  for (const gap of new Set(runs.map((one) => one.gap))) {
    const here = runs.filter((one) => one.gap === gap);
    const levels = shareLines(here.map(({ span }) => span));
    const rooms = counted(
      Math.max(...levels) + 1,
      here.map(({ lines }, i) => [levels[i] ?? 0, lines.length] as const),
    ).map((lines) => lines * font.line + below + 2);
    for (const [i, run] of here.entries()) {
      depths.set(run, inset + sum(rooms.slice(0, (levels[i] ?? 0) + 1)));
    }
    heights.set(gap, 2 * inset + sum(rooms));
  }
  return {
    depthOf: (run: Run) => depths.get(run) ?? 0,
    heightOf: (gap: number) => heights.get(gap) ?? 0,
  };
}

/** The largest number that is noted for each of some places. */
function counted(length: number, noted: readonly (readonly [at: number, count: number])[]): number[] {
  const most: number[] = Array(length).fill(0);
  for (const [at, count] of noted) most[at] = Math.max(most[at] ?? 0, count);
  return most;
}

function sum(all: readonly number[]): number {
  return all.reduce((total, one) => total + one, 0);
}

function spanOf(...ends: readonly number[]): Span {
  return { from: Math.min(...ends), to: Math.max(...ends) };
}
