import type { TimelineEntry } from '../../../../gateway/support/timeline.ts';
import { showTime } from '../../../terminal/output.ts';
import type { Paint } from '../../../terminal/terminal.ts';

const timeWidth = 23;
const durationWidth = 9;
const kindWidth = 8;

/** Formats an entry of a timeline. The lines of a screen after its first one are indented to the column of the texts. */
export function timelineLines(paint: Paint, { at, kind, text, ms }: TimelineEntry): string {
  const [first = '', ...more] = text.split('\n');
  const duration = (ms === null ? '' : `${ms} ms`).padStart(durationWidth);
  const head = `  ${paint('dim', showTime(at))} ${duration}  ${kind.padEnd(kindWidth)} ${first}`;
  const indent = ' '.repeat(2 + timeWidth + 1 + durationWidth + 2 + kindWidth + 1);
  return [head, ...more.map((line) => indent + line)].join('\n');
}
