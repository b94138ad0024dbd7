import { type Command, InvalidArgumentError, Option } from 'commander';
import { type BlockRole, blockAnswer, blockRoles, blockWords } from '../../contract/staff/staff.ts';
import { readDay } from '../../gateway/ledger/day.ts';
import type { Block } from '../../gateway/staff/block-query.ts';
import type { EpochMs } from '../../shared/clock.ts';
import { localForm, type Msisdn } from '../../shared/msisdn.ts';
import { showTime } from '../../shared/time-text.ts';
import { type ActionDeps, act, addGroup, type CommandHelp } from '../command-options.ts';
import { printLedgerJson, type ReadDeps, type ReadOptions, readByName } from '../open-reads.ts';
import { parseMsisdnArgument, wholeNumber } from '../service/arguments.ts';
import type { StaffFlags } from '../staff/staff-client.ts';
import { pageFooter, printable, printRows } from '../terminal/output.ts';

export type BlockDeps = ReadDeps & ActionDeps;

type KeyOptions = { as: BlockRole; merchant?: string; reason: string };
type AddOptions = StaffFlags & KeyOptions & { until?: EpochMs };
type ListOptions = ReadOptions & { msisdn?: Msisdn; limit: number; after?: number };

const defaultLimit = 100;
const maxLimit = 1_000;

export function registerBlock(program: Command, deps: BlockDeps): void {
  const { addRead, addAction } = addGroup(program, {
    path: 'block',
    examples: ['add 0244123456 --as dialler --reason "many false requests"'],
  });
  const addChange = (help: CommandHelp) =>
    addAction(help)
      .addOption(
        new Option('--as <role>', `dialler: it ${blockWords.dialler}; payer: it ${blockWords.payer}`)
          .choices(blockRoles)
          .makeOptionMandatory(),
      )
      .requiredOption('--reason <text>', 'why; it is recorded and never deleted')
      .option('--merchant <id>', 'only at this merchant (default: at all merchants)');

  addChange({
    usage: 'add <msisdn>',
    description: 'block a number, at one merchant or at all, until a time or without an end',
    examples: ['add 0244123456 --as payer --reason "asked for it on the phone" --until 2026-12-31'],
  })
    .option('--until <time>', 'when the block ends by itself: a day (its end) or a minute, in UTC', getEnd)
    .action((number: string, options: AddOptions) => addBlock(deps, number, options));

  addChange({
    usage: 'remove <msisdn>',
    description: 'remove a block before it ends by itself',
    examples: ['remove 0244123456 --as payer --reason "asked for it on the phone"'],
  }).action((number: string, options: AddOptions) => removeBlock(deps, number, options));

  addRead({
    usage: 'list',
    description: 'list the blocks that hold now, newest first',
    examples: ['list --msisdn 0244123456'],
  })
    .option('--msisdn <number>', 'only blocks of this number', parseMsisdnArgument)
    .option('--limit <count>', `rows of the page, 1 to ${maxLimit}`, wholeNumber(1, maxLimit), defaultLimit)
    .option('--after <cursor>', 'start after the page that printed this cursor', wholeNumber(1, 1e12))
    .action((options: ListOptions) => listBlocks(deps, options));
}

function addBlock(deps: BlockDeps, number: string, options: AddOptions): Promise<void> {
  const until = options.until === undefined ? null : new Date(options.until).toISOString();
  const change = { path: ['blocks'], schema: blockAnswer, body: { ...toBody(number, options), until } };
  return act(deps, options, change, (answer) => {
    const end = answer.until === null ? '' : ` until ${answer.until}`;
    return `blocked ${number} as ${options.as}${end}, by ${answer.actor}`;
  });
}

function removeBlock(deps: BlockDeps, number: string, options: AddOptions): Promise<void> {
  const change = { path: ['blocks', 'remove'], schema: blockAnswer, body: toBody(number, options) };
  return act(deps, options, change, ({ actor }) => {
    return `removed the block of ${number} as ${options.as}, by ${actor}`;
  });
}

function toBody(number: string, { as: role, merchant, reason }: KeyOptions) {
  return { msisdn: number, role, merchantId: merchant ?? null, reason };
}

async function listBlocks(deps: BlockDeps, options: ListOptions): Promise<void> {
  const { limit, after, msisdn } = options;
  const page = await readByName(deps, options, 'blocks', { limit, after, msisdn });
  if (options.json) return printLedgerJson(deps.stdout, page);
  const head = ['number', 'as', 'merchant', 'until (UTC)', 'by', 'since (UTC)', 'reason'];
  printRows(deps.stdout, page, { none: 'no blocks', head, cells, footer: pageFooter(page, 'block') });
}

function cells({ msisdn, role, merchantId, until, actor, at, reason }: Block): string[] {
  const number = localForm(msisdn as Msisdn);
  return [
    ...[number, role, merchantId ?? 'all', until === null ? '-' : showTime(until)],
    ...[actor, showTime(at), printable(reason)],
  ];
}

/** Returns the end of a day, or a minute. */
function getEnd(text: string): EpochMs {
  const day = readDay(text);
  if (day) return day.to;
  const at = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d$/.test(text)
    ? Date.parse(`${text.replace(' ', 'T')}:00Z`)
    : Number.NaN;
  if (Number.isFinite(at)) return at;
  throw new InvalidArgumentError('Expected a day such as 2026-12-31 or a minute such as 2026-12-31T18:00.');
}
