import type { CopyReport } from '../../../gateway/backup/verify-copy.ts';
import type { EpochMs } from '../../../shared/clock.ts';
import { showTime } from '../../terminal/output.ts';
import type { Paint } from '../../terminal/terminal.ts';

/** Describes the content of a backup, with one line for each field and each fault. */
export function copyReport(paint: Paint, report: CopyReport, now: EpochMs): string {
  const { bytes, takenAt, schema, contents, head, faults } = report;
  const lines: [string, string][] = [
    ['created', takenAt === null ? 'unknown' : `${showTime(takenAt)} (${formatDuration(now - takenAt)} ago)`],
    ...(contents === null
      ? []
      : ([
          ['newest entry', formatTime(contents.newestAt, now)],
          ['newest collection', formatTime(contents.newestCollectionAt, now)],
          ['mode', contents.modes.join(' and ') || 'none'],
          ['collections', `${contents.collections}, ${contents.open} open, ${contents.reviews} in review`],
          [
            'rows',
            `${contents.facts} facts, ${contents.postings} postings, ${contents.turns} turns, ${contents.events} events`,
          ],
        ] satisfies [string, string][])),
    [
      'schema',
      `${schema.migrations} of ${schema.known} migrations${schema.isNewer ? ' (of a newer version)' : ''}`,
    ],
    ['size', `${bytes} bytes`],
    ...(head === null ? [] : ([['head of the chain', head]] satisfies [string, string][])),
  ];
  const text = lines.map(([name, value]) => `${name.padEnd(18)} ${value}\n`).join('');
  const faultLines = faults.map((fault) => `${paint('red', 'fault')}              ${fault}\n`).join('');
  return text + faultLines;
}

function formatTime(at: EpochMs | null, now: EpochMs): string {
  return at === null ? 'none' : `${showTime(at)} (${formatDuration(now - at)} ago)`;
}

const second = 1_000;
const units = [
  [86_400 * second, 'd'],
  [3_600 * second, 'h'],
  [60 * second, 'min'],
  [second, 's'],
] as const;

/** Formats a duration in its two largest units, such as `1 h 5 min`. */
function formatDuration(ms: number): string {
  const first = units.findIndex(([size]) => ms >= size);
  if (first < 0) return '0 s';
  let rest = ms;
  const parts: string[] = [];
  for (const [size, name] of units.slice(first, first + 2)) {
    const whole = Math.floor(rest / size);
    rest -= whole * size;
    if (whole > 0) parts.push(`${whole} ${name}`);
  }
  return parts.join(' ');
}
