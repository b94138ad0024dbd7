/** Formats a count with its noun: `1 payment`, `2 payments`. */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
