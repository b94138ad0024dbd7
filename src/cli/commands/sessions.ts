import type { Command } from 'commander';
import { sessionEndWords } from '../../gateway/support/session-end.ts';
import type { NumberedTurn, SessionSummary } from '../../gateway/support/session-query.ts';
import { turnEntries } from '../../gateway/support/timeline.ts';
import type { Clock } from '../../shared/clock.ts';
import { UserError } from '../../shared/errors.ts';
import { localForm, type Msisdn } from '../../shared/msisdn.ts';
import { showTime } from '../../shared/time-text.ts';
import { addGroup, type PageOptions } from '../command-options.ts';
import { printLedgerJson, type ReadDeps, type ReadOptions, readByName } from '../open-reads.ts';
import { parseMsisdnArgument, wholeNumber } from '../service/arguments.ts';
import { labelledLines, oneLine, type Paint, printable, table } from '../terminal/output.ts';
import { timelineLines } from './ledger/show.ts';

export type SessionsDeps = ReadDeps & {
  clock: Clock;
  /** Resolves when the command must end. */
  ended(): Promise<unknown>;
};

type FindOptions = ReadOptions & PageOptions & { limit: number; unconfirmed?: boolean };
type TailOptions = ReadOptions & { last: number };

const defaultLimit = 20;
const maxLimit = 500;
const fullHelp = "with --json: print the menu's state after each turn, too; reads the database";

export function registerSessions(program: Command, deps: SessionsDeps): void {
  const { addRead } = addGroup(program, { path: 'sessions', examples: ['find 0244123456'] });

  addRead({
    usage: 'find',
    description: 'list the dialogues of a phone, newest first: when, how it ended, and its last screen',
    examples: ['find 0244123456 --unconfirmed'],
  })
    .argument('<number>', 'the number that dialled', parseMsisdnArgument)
    .option('--unconfirmed', 'only dialogues without a confirmed payment')
    .option('--limit <count>', `dialogues, 1 to ${maxLimit}`, wholeNumber(1, maxLimit), defaultLimit)
    .option('--after <cursor>', 'start after the page that printed this cursor')
    .action((number: Msisdn, options: FindOptions) => find(deps, number, options));

  addRead({
    usage: 'show <id>',
    description: 'show every screen and input of a dialogue, and how it ended',
    examples: ['show dlg_01k…'],
  })
    .option('--full', fullHelp)
    .action((id: string, options: ReadOptions) => show(deps, id, options));

  addRead({
    usage: 'tail',
    description: 'print new screens and inputs of all phones until Ctrl-C',
    examples: ['tail --last 20'],
  })
    .option('--last <count>', 'begin with this many earlier turns, 0 to 200', wholeNumber(0, 200), 0)
    .option('--full', fullHelp)
    .action((options: TailOptions) => tail(deps, options));
}

const maxScreen = 40;

/** Prints the dialogues of a phone, newest first. @throws UserError when the cursor is unknown. */
async function find(deps: SessionsDeps, dialler: Msisdn, options: FindOptions): Promise<void> {
  const { stdout } = deps;
  const { limit, after, unconfirmed } = options;
  const found = await readByName(deps, options, 'sessions', { dialler, limit, after });
  if (found === 'unknown_cursor')
    throw new UserError(
      `--after: the phone has no dialogue ${after}. Use the cursor that the previous page printed`,
    );
  const data = found.data.filter(({ end }) => !unconfirmed || end !== 'confirmed');
  const { next } = found;
  const total = unconfirmed ? null : found.total;
  if (options.json) return printLedgerJson(stdout, { data, total, next });
  const head = ['dialogue', 'channel', 'started (UTC)', 'screens', 'end', 'collection', 'last screen'];
  if (data.length === 0) stdout.write(`no dialogue found for ${localForm(dialler)}\n`);
  else stdout.write(table(stdout.paint, [head, ...data.map(cells)]));
  if (next !== null) stdout.write(`next page: --after ${oneLine(printable(next))}\n`);
  else if (found.total === null) stdout.write('cut: older dialogues of the phone are not listed\n');
}

function cells(summary: SessionSummary): string[] {
  const { dialogueId, channel, startedAt, screens, end, collectionId } = summary;
  const [line = ''] = summary.lastScreen.split('\n');
  const screen = line.length > maxScreen ? `${line.slice(0, maxScreen - 1)}…` : line;
  return [
    ...[dialogueId, channel, showTime(startedAt), String(screens)],
    ...[sessionEndWords[end], collectionId ?? '-', screen],
  ];
}

/** Prints every screen and input of a dialogue. @throws UserError when there is none with this id. */
async function show(deps: SessionsDeps, id: string, options: ReadOptions): Promise<void> {
  const { stdout } = deps;
  const found = await readByName(deps, options, 'session', { id });
  if (!found) throw new UserError(`no dialogue ${id}: find its id with "dialtill sessions find <number>"`);
  const { summary, turns } = found;
  if (options.json) return printLedgerJson(stdout, { ...summary, turns }, options);
  const { paint } = stdout;
  const head = labelledLines([
    ['dialogue', summary.dialogueId],
    ['end', sessionEndWords[summary.end]],
    ['phone', localForm(summary.dialler as Msisdn)],
    ['merchant', `${summary.merchantId} (channel ${summary.channel}, session ${summary.session})`],
    ['started', `${showTime(summary.startedAt)} UTC`],
    ['collection', summary.collectionId ?? 'none: no payment was confirmed'],
  ]);
  const lines = turns.flatMap((turn) => turnEntries(turn)).map((entry) => timelineLines(paint, entry));
  stdout.write(`${[...head, '', 'timeline (UTC)', ...lines].join('\n')}\n`);
}

const pollMs = 1_000;

/** Prints new turns until the command must end. It reads once per second, because a reader of a database sees one moment of it. */
async function tail(deps: SessionsDeps, options: TailOptions): Promise<void> {
  const { stdout, clock, ended } = deps;
  const { paint } = stdout;
  const ending = new AbortController();
  void ended().then(() => ending.abort());
  const { last } = options;
  let after: number | undefined;
  while (!ending.signal.aborted) {
    const { turns, next, isWhole } = await readByName(deps, options, 'turns', { after, last });
    for (const turn of turns) {
      if (options.json) printLedgerJson(stdout, turn, options);
      else stdout.write(`${turnLines(paint, turn)}\n`);
    }
    after = next;
    if (isWhole) await clock.sleep(pollMs, ending.signal);
  }
}

function turnLines(paint: Paint, turn: NumberedTurn): string {
  const phone = localForm(turn.dialler as Msisdn);
  const head = paint('bold', `${phone}  ${turn.channel}  ${turn.dialogueId}`);
  return [head, ...turnEntries(turn).map((entry) => timelineLines(paint, entry))].join('\n');
}
