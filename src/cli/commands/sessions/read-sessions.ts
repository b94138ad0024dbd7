import {
  findSessions,
  lastTurnNumber,
  loadSession,
  type NumberedTurn,
  type SessionSummary,
  turnsAfter,
} from '../../../gateway/support/sessions/session-query.ts';
import { turnEntries } from '../../../gateway/support/timeline.ts';
import { UserError } from '../../../shared/errors.ts';
import { localForm, type Msisdn } from '../../../shared/msisdn.ts';
import type { Store } from '../../../sqlite/store.ts';
import { oneLine, showTime, table } from '../../terminal/output.ts';
import { printable } from '../../terminal/protected-output.ts';
import { type Paint, paintFor } from '../../terminal/terminal.ts';
import { printLedgerJson, readLedger } from '../ledger/read-ledger.ts';
import { timelineLines } from '../ledger/show/timeline-lines.ts';
import type { FindSessionsOptions, SessionOptions, SessionsDeps, TailOptions } from './types.ts';

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

const pollMs = 1_000;
/** Turns that are read at once. More are read without a pause. */
const maxTurns = 200;

/** Prints new turns until the command must end. It opens the ledger once per second, because a reader sees one moment of it. */
export async function tailCommand(deps: SessionsDeps, options: TailOptions): Promise<void> {
  const { stdout, noColor, clock, ended, database } = deps;
  const paint = paintFor(stdout, noColor);
  const location = database(options);
  const ending = new AbortController();
  void ended().then(() => ending.abort());
  let after: number | undefined;

  async function printNew(store: Store): Promise<number> {
    after ??= Math.max(0, (await lastTurnNumber(store)) - options.last);
    const turns = await turnsAfter(store, after, maxTurns);
    for (const turn of turns) {
      if (options.json) printLedgerJson(stdout, turn, options);
      else stdout.write(`${turnLines(paint, turn)}\n`);
      after = turn.seq;
    }
    return turns.length;
  }

  while (!ending.signal.aborted) {
    let printed = 0;
    await readLedger(location, async (store) => {
      printed = await printNew(store);
    });
    if (printed < maxTurns) await clock.sleep(pollMs, ending.signal);
  }
}

function turnLines(paint: Paint, turn: NumberedTurn): string {
  const phone = localForm(turn.dialler as Msisdn);
  const head = paint('bold', `${phone}  ${turn.channel}  ${turn.dialogueId}`);
  return [head, ...turnEntries(turn).map((entry) => timelineLines(paint, entry))].join('\n');
}
