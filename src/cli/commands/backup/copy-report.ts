import type { CopyReport } from '../../../gateway/backup/verify-copy.ts';
import type { EpochMs } from '../../../shared/clock.ts';
import { formatDuration } from '../../../shared/duration.ts';
import { describeLateBlocks, describeNotedHead, describeSignatures } from '../../describe-chain.ts';
import { plural, showTime } from '../../terminal/output.ts';
import type { Paint } from '../../terminal/terminal.ts';

/** Describes the content of a backup, with one line for each field and each fault. */
export function copyReport(paint: Paint, report: CopyReport, now: EpochMs): string {
  const { bytes, takenAt, schema, contents, ledger, head, faults } = report;
  const lines: [string, string][] = [
    [
      'created',
      takenAt === null ? 'unknown' : `${showTime(takenAt)} (${formatDuration(now - takenAt, 2)} ago)`,
    ],
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
    ...(ledger === null
      ? []
      : ([
          ['signatures', describeSignatures(ledger.signatures)],
          ['not sealed', plural(ledger.unsealed, 'row')],
          ...describeLateBlocks(ledger.lateBlocks).map((late) => ['warning', late]),
          ...(ledger.notedHead ? [['noted head', describeNotedHead(ledger.notedHead)]] : []),
        ] as [string, string][])),
    ...(head === null ? [] : ([['head of the chain', head]] satisfies [string, string][])),
  ];
  const text = lines.map(([name, value]) => `${name.padEnd(18)} ${value}\n`).join('');
  const faultLines = faults.map((fault) => `${paint('red', 'fault')}              ${fault}\n`).join('');
  return text + faultLines;
}

function formatTime(at: EpochMs | null, now: EpochMs): string {
  return at === null ? 'none' : `${showTime(at)} (${formatDuration(now - at, 2)} ago)`;
}
