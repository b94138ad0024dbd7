import { loadSession } from '../../../gateway/support/sessions/session-query.ts';
import { turnEntries } from '../../../gateway/support/timeline.ts';
import { UserError } from '../../../shared/errors.ts';
import { localForm, type Msisdn } from '../../../shared/msisdn.ts';
import { oneLine, showTime } from '../../terminal/output.ts';
import { paintFor } from '../../terminal/terminal.ts';
import { printLedgerJson } from '../ledger/print-json.ts';
import { readLedger } from '../ledger/read-ledger.ts';
import { timelineLines } from '../ledger/show/timeline-lines.ts';
import type { SessionOptions, SessionsDeps } from './types.ts';

/** Prints every screen and input of a dialogue. @throws UserError when there is none with this id. */
export function showSessionCommand(
  { stdout, noColor, database }: SessionsDeps,
  id: string,
  options: SessionOptions,
): Promise<void> {
  return readLedger(database(options), async (store) => {
    const found = await loadSession(store, id);
    if (!found) throw new UserError(`no dialogue ${id}: find its id with "dialtill sessions find <number>"`);
    const { summary, turns } = found;
    if (options.json) return printLedgerJson(stdout, { ...summary, turns }, options);
    const paint = paintFor(stdout, noColor);
    const fields = [
      ['dialogue', summary.dialogueId],
      ['end', summary.end],
      ['phone', localForm(summary.dialler as Msisdn)],
      ['merchant', `${summary.merchantId} (channel ${summary.channel}, session ${summary.session})`],
      ['started', `${showTime(summary.startedAt)} UTC`],
      ['collection', summary.collectionId ?? 'none: no payment was confirmed'],
    ];
    const head = fields.map(([name = '', value = '']) => `${name.padEnd(16)} ${oneLine(value)}`);
    const lines = turns.flatMap(turnEntries).map((entry) => timelineLines(paint, entry));
    stdout.write(`${[...head, '', 'timeline (UTC)', ...lines].join('\n')}\n`);
  });
}
