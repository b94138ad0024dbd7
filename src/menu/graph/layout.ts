import type { Arrow, Box, Drawing } from './arrows.ts';

/** A box in the grid of a drawing, from the top left. */
export type Placed = Box & { readonly row: number; readonly column: number };

/** Each screen below all that lead to it, ways back left aside; what nothing leads to comes last. */
export function place({ start, boxes, arrows }: Drawing): Map<string, Placed> {
  const rows = rowsFrom(start, arrows);
  const last = Math.max(...rows.values()) + 1;
  const filled = new Map<number, number>();
  return new Map(
    boxes.map((one) => {
      const row = rows.get(one.name) ?? last;
      const column = filled.get(row) ?? 0;
      filled.set(row, column + 1);
      return [one.name, { ...one, row, column }] as const;
    }),
  );
}

function rowsFrom(start: string, arrows: readonly Arrow[]): Map<string, number> {
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
  return rows;
}
