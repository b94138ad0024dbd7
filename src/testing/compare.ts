/** One line of a comparison: in both texts, or only in the expected or the actual one. */
export type ComparedLine = { in: 'both' | 'expected' | 'actual'; text: string };

/** Screens have about a dozen lines. Of longer texts only the beginning is compared. */
const maxLines = 200;

/** Compares two texts by their longest common subsequence of lines. */
export function compareLines(expected: string, actual: string): ComparedLine[] {
  const a = expected.split('\n').slice(0, maxLines);
  const b = actual.split('\n').slice(0, maxLines);
  const common = commonLengths(a, b);
  const at = (i: number, j: number) => common[i]?.[j] ?? 0;
  const lines: ComparedLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const [left, right] = [a[i], b[j]];
    if (left !== undefined && left === right) {
      lines.push({ in: 'both', text: left });
      i++;
      j++;
    } else if (left !== undefined && (right === undefined || at(i + 1, j) >= at(i, j + 1))) {
      lines.push({ in: 'expected', text: left });
      i++;
    } else {
      lines.push({ in: 'actual', text: right ?? '' });
      j++;
    }
  }
  return lines;
}

/** Returns, for each pair of positions, the length of the longest common subsequence of the remaining lines. */
function commonLengths(a: readonly string[], b: readonly string[]): number[][] {
  const table = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  for (let i = a.length - 1; i >= 0; i--) {
    const [row = [], below = []] = [table[i], table[i + 1]];
    for (let j = b.length - 1; j >= 0; j--) {
      row[j] = a[i] === b[j] ? (below[j + 1] ?? 0) + 1 : Math.max(below[j] ?? 0, row[j + 1] ?? 0);
    }
  }
  return table;
}
