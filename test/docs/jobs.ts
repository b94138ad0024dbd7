import { readFileSync } from 'node:fs';

/** A command of a transcript in a document, and the lines below it. */
export type JobCommand = { line: number; command: string; expected: string[] };

/** Returns the commands of every block below the heading, up to the next heading of the same level. */
export function commandsOf(document: string, heading: string): JobCommand[] {
  const lines = readFileSync(document, 'utf8').split('\n');
  const start = lines.indexOf(heading);
  if (start < 0) throw new Error(`${document}: no heading "${heading}"`);
  const commands: JobCommand[] = [];
  let isBlock = false;
  for (const [index, line] of lines.entries()) {
    if (index <= start) continue;
    if (!isBlock && line.startsWith('## ')) break;
    if (line.startsWith('```')) isBlock = !isBlock;
    else if (isBlock && line.startsWith('$ '))
      commands.push({ line: index + 1, command: line.slice(2), expected: [] });
    else if (isBlock) commands.at(-1)?.expected.push(line);
  }
  return commands;
}

/**
 * Returns whether an output is the one of a transcript. In the transcript, a line with only `…` stands for any lines, and `…` in a
 * line for any text. The number of blanks between words does not matter.
 */
export function isShortened(output: string, expected: readonly string[]): boolean {
  const pattern = expected.map((line) =>
    line.trim() === '…' ? '(?:[^\\n]*\\n)*?' : `${patternOf(line)}\\n`,
  );
  return new RegExp(`^${pattern.join('')}$`).test(normal(output));
}

function patternOf(line: string): string {
  return normal(line)
    .split('…')
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('[^\\n]*');
}

function normal(text: string): string {
  return text.replace(/ +/g, ' ').replace(/ +$/gm, '');
}

/** Returns the words of a command line. Only double and single quotes are read. */
export function wordsOf(command: string): string[] {
  return [...command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, double, single, bare]) => {
    return double ?? single ?? bare ?? '';
  });
}
