/** What takes a line from one end to the other. */
export type Span = { readonly from: number; readonly to: number };

/** The room between two spans on one line. */
const apart = 8;

/** Puts each span on the first line that is free there, so that no two on one line touch. Returns their lines. */
export function shareLines(spans: readonly Span[]): number[] {
  const lines: Span[][] = [];
  const found: number[] = Array(spans.length).fill(0);
  const order = spans.map((_, i) => i).sort((a, b) => (spans[a]?.from ?? 0) - (spans[b]?.from ?? 0));
  for (const i of order) {
    const span = spans[i];
    if (span === undefined) continue;
    const isFree = (line: readonly Span[]) =>
      line.every(({ from, to }) => to + apart <= span.from || span.to + apart <= from);
    const free = lines.findIndex(isFree);
    found[i] = free < 0 ? lines.length : free;
    if (free < 0) lines.push([span]);
    else lines[free]?.push(span);
  }
  return found;
}
