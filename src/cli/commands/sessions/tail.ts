import {
  lastTurnNumber,
  type NumberedTurn,
  turnsAfter,
} from '../../../gateway/support/sessions/session-query.ts';
import { turnEntries } from '../../../gateway/support/timeline.ts';
import { localForm, type Msisdn } from '../../../shared/msisdn.ts';
import type { Store } from '../../../sqlite/store.ts';
import { type Paint, paintFor } from '../../terminal/terminal.ts';
import { printLedgerJson, readLedger } from '../ledger/read-ledger.ts';
import { timelineLines } from '../ledger/show/timeline-lines.ts';
import type { SessionsDeps, TailOptions } from './types.ts';

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
