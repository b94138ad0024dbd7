import { formatFileErrors } from '../../../shared/yaml.ts';
import { compareLines } from '../../../testing/compare.ts';
import type { Difference } from '../../../testing/play.ts';
import type { Rehearsal } from '../../../testing/rehearse.ts';
import { type Paint, printable } from '../../terminal/terminal.ts';

/** One line for a transcript, and under it what was not as expected, each difference at its line. */
export function reportRehearsal(paint: Paint, rehearsal: Rehearsal): string {
  const { file, ok, screens, status, written, faults, differences } = rehearsal;
  const verdict = ok ? paint('green', 'ok   ') : paint('red', 'wrong');
  const went = faults.length > 0 ? status : `${screens} screens, ${status}`;
  const changed = written > 0 ? `, ${written} written` : '';
  return [
    `${verdict}  ${file}  ${went}${changed}`,
    ...(faults.length > 0 ? indented(paint('red', printable(formatFileErrors(faults)))) : []),
    ...differences.flatMap((difference) => tell(paint, file, difference)),
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
  got: { sign: '+', style: 'green' },
} as const;

function tell(paint: Paint, file: string, { line, message, expected, got }: Difference): string[] {
  const head = `  ${paint('bold', `${file}:${line}`)}  ${printable(message)}`;
  if (expected === undefined || got === undefined) return [head];
  // Nothing was expected at all where a screen is missing: an empty line would say otherwise.
  const lines = compareLines(expected, got).filter(({ text }) => expected !== '' || text !== '');
  return [
    expected === '' ? head : `${head} (- expected, + got)`,
    ...lines.map((one) => {
      const { sign, style } = signs[one.in];
      return `    ${paint(style, `${sign} ${printable(one.text)}`)}`;
    }),
  ];
}
