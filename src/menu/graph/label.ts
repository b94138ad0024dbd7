/** Letters of one width, so that what a text takes is known without the fonts of whoever looks at it. */
export const font = { family: 'monospace', size: 11, letter: 6.9, line: 14 } as const;

/** Labels are as wide as a box, or more lines. */
const mostLetters = 34;

/** A label in lines, broken at its blanks, and in a word that is too long for one. */
export function labelLines(label: string): string[] {
  const lines = [''];
  for (const word of label.split(' ')) {
    for (const piece of word.match(new RegExp(`.{1,${mostLetters}}`, 'gsu')) ?? []) {
      const line = lines.at(-1) ?? '';
      const longer = line === '' ? piece : `${line} ${piece}`;
      if ([...longer].length <= mostLetters) lines[lines.length - 1] = longer;
      else lines.push(piece);
    }
  }
  return lines;
}

/** How wide lines are, in the units of the drawing. */
export function widthOf(lines: readonly string[]): number {
  return Math.max(0, ...lines.map((line) => [...line].length)) * font.letter;
}
