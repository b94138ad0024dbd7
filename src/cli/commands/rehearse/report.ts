import { formatFileErrors } from '../../../shared/yaml.ts';
import { compareLines } from '../../../testing/compare.ts';
import type { Difference } from '../../../testing/play.ts';
import type { Rehearsal } from '../../../testing/rehearse.ts';
import { printable } from '../../terminal/protected-output.ts';
import type { Paint } from '../../terminal/terminal.ts';

/** Returns one line for a transcript, followed by its errors or its differences, each with its line. */
export function reportRehearsal(paint: Paint, rehearsal: Rehearsal): string {
  const { file, ok, screens, status, updated, errors, differences } = rehearsal;
  const verdict = ok ? paint('green', 'ok    ') : paint('red', 'failed');
  const result = errors.length > 0 ? status : `${screens} screens, ${status}`;
  const changes = updated > 0 ? `, ${updated} updated` : '';
  return [
    `${verdict}  ${file}  ${result}${changes}`,
    ...(errors.length > 0 ? indented(paint('red', printable(formatFileErrors(errors)))) : []),
    ...differences.flatMap((difference) => formatDifference(paint, file, difference)),
  ]
    .map((line) => `${line}\n`)
    .join('');
}

function indented(text: string): string[] {
  return text.split('\n').map((line) => `  ${line}`);
}

const signs = {
  both: { sign: ' ', style: 'dim' },
  expected: { sign: '-', style: 'red' },
  actual: { sign: '+', style: 'green' },
} as const;

function formatDifference(
  paint: Paint,
  file: string,
  { line, message, expected, actual }: Difference,
): string[] {
  const head = `  ${paint('bold', `${file}:${line}`)}  ${printable(message)}`;
  if (expected === undefined || actual === undefined) return [head];
  // Without an expected screen, the empty expected text is not printed as a line.
  const lines = compareLines(expected, actual).filter(({ text }) => expected !== '' || text !== '');
  return [
    expected === '' ? head : `${head} (- expected, + actual)`,
    ...lines.map((one) => {
      const { sign, style } = signs[one.in];
      return `    ${paint(style, `${sign} ${printable(one.text)}`)}`;
    }),
  ];
}
