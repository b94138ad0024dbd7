import { findSessions, type SessionSummary } from '../../../gateway/support/sessions/session-query.ts';
import { UserError } from '../../../shared/errors.ts';
import { localForm, type Msisdn } from '../../../shared/msisdn.ts';
import { oneLine, showTime, table } from '../../terminal/output.ts';
import { printable } from '../../terminal/protected-output.ts';
import { paintFor } from '../../terminal/terminal.ts';
import { printLedgerJson } from '../ledger/print-json.ts';
import { readLedger } from '../ledger/read-ledger.ts';
import type { FindSessionsOptions, SessionsDeps } from './types.ts';

const maxScreen = 40;

/** Prints the dialogues of a phone, newest first. */
export function findSessionsCommand(
  { stdout, noColor, database }: SessionsDeps,
  dialler: Msisdn,
  options: FindSessionsOptions,
): Promise<void> {
  return readLedger(database(options), async (store) => {
    const found = await findSessions(store, dialler, options);
    if (found === 'unknown_cursor')
      throw new UserError(
        `--after: the phone has no dialogue ${options.after}. Use the cursor that the previous page printed`,
      );
    const data = found.data.filter(({ end }) => !options.unconfirmed || end !== 'confirmed');
    const { next } = found;
    const total = options.unconfirmed ? null : found.total;
    if (options.json) return printLedgerJson(stdout, { data, total, next });
    const head = ['dialogue', 'channel', 'started (UTC)', 'screens', 'end', 'collection', 'last screen'];
    if (data.length === 0) stdout.write(`no dialogue found for ${localForm(dialler)}\n`);
    else stdout.write(table(paintFor(stdout, noColor), [head, ...data.map(cells)]));
    if (next !== null) stdout.write(`next page: --after ${oneLine(printable(next))}\n`);
    else if (found.total === null) stdout.write('cut: older dialogues of the phone are not listed\n');
  });
}

function cells({
  dialogueId,
  channel,
  startedAt,
  screens,
  end,
  collectionId,
  lastScreen,
}: SessionSummary): string[] {
  const [line = ''] = lastScreen.split('\n');
  const screen = line.length > maxScreen ? `${line.slice(0, maxScreen - 1)}…` : line;
  return [dialogueId, channel, showTime(startedAt), String(screens), end, collectionId ?? '-', screen];
}
