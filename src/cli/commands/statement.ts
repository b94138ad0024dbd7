import { readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import type { Command } from 'commander';
import {
  type DayStatementView,
  dayStatementView,
  importStatementAnswer,
} from '../../contract/staff/statement.ts';
import type { Tolerant } from '../../contract/tolerant.ts';
import { readDay } from '../../gateway/ledger/day.ts';
import { maxStatementBytes } from '../../gateway/service-statement/read-statement.ts';
import { errorMessage, UserError } from '../../shared/errors.ts';
import { formatCedis } from '../../shared/money.ts';
import { plural } from '../../shared/plural.ts';
import { type ActionDeps, addGroup, type CommandHelp, toPath } from '../command-options.ts';
import type { StaffFlags } from '../staff/staff-client.ts';
import { oneLine, printAnswer, printable, table } from '../terminal/output.ts';

export type StatementDeps = ActionDeps & { exit(code: number): void };

type DayOptions = StaffFlags & { merchant: string; date?: string };
type View = Tolerant<DayStatementView>;

const exitCodes = `

Exit codes:
  0  books and statement are equal, or every difference is explained
  1  the file or the request was refused, or the gateway is not reachable
  2  wrong usage
  3  there are differences without an explanation`;

export function registerStatement(program: Command, deps: StatementDeps): void {
  const { addAction } = addGroup(program, {
    path: 'statement',
    examples: ['import statement-2026-03-06.csv --merchant abena-stores'],
  });
  const addOfDay = (help: CommandHelp) => {
    const command = addAction({ ...help, more: exitCodes }).requiredOption(
      '--merchant <id>',
      'the merchant of the statement',
    );
    return help.usage.includes('<file>')
      ? command.option(
          '--date <day>',
          'the day, such as 2026-03-06 (default: the one in the name of the file)',
        )
      : command.requiredOption('--date <day>', 'the day, such as 2026-03-06');
  };

  addOfDay({
    usage: 'import <file>',
    description: 'read the CSV of a day, compare the books with it, and list the differences',
    examples: [
      'import statement-2026-03-06.csv --merchant abena-stores',
      'import march-6.csv --merchant abena-stores --date 2026-03-06 --json',
    ],
  }).action(async (file: string, options: DayOptions) => {
    const date = readDate(options, file);
    const body = { merchantId: options.merchant, content: readFile(file) };
    const client = await deps.staffClient(options);
    const answer = await client.post(toPath(['days', date, 'statement']), importStatementAnswer, body);
    const done = answer.result === 'unchanged' ? 'already imported' : answer.result;
    print(deps, options, answer, `${done} the statement of ${answer.merchantId} on ${date}`);
  });

  addOfDay({
    usage: 'list',
    description: 'list the differences of a day between the books, as they are now, and its statement',
    examples: ['list --merchant abena-stores --date 2026-03-06'],
  }).action(async (options: DayOptions) => {
    const date = readDate(options);
    const client = await deps.staffClient(options);
    const query = new URLSearchParams({ merchantId: options.merchant });
    const view = await client.get(`${toPath(['days', date, 'statement'])}?${query}`, dayStatementView);
    print(deps, options, view, `the statement of ${view.merchantId} on ${date}`);
  });

  addOfDay({
    usage: 'explain <difference...>',
    description: 'record why differences are right, after which the day can be closed',
    examples: ['explain dif_0f3a… --merchant abena-stores --date 2026-03-06 --text "paid after midnight"'],
  })
    .requiredOption('--text <text>', 'why; it is recorded and never deleted')
    .action(async (differences: string[], options: DayOptions & { text: string }) => {
      const date = readDate(options);
      const { merchant: merchantId, text } = options;
      const client = await deps.staffClient(options);
      const body = { merchantId, differences, text };
      const view = await client.post(toPath(['days', date, 'differences']), dayStatementView, body);
      print(deps, options, view, `explained ${plural(differences.length, 'difference')} of ${date}`);
    });
}

/** Returns the day of the options, or the one in the name of a file. @throws UserError without one. */
function readDate({ date }: DayOptions, file = ''): string {
  const found = date ?? /\d{4}-\d{2}-\d{2}/.exec(basename(file))?.[0];
  if (found !== undefined && readDay(found)) return found;
  throw new UserError(
    found === undefined
      ? `--date: name the day, such as --date 2026-03-06${file && `; the name ${printable(basename(file))} has none`}`
      : `--date: expected a day such as 2026-03-06, found ${printable(found)}`,
  );
}

/** Reads a file in UTF-8. @throws UserError for one that cannot be read, is too large or is in another encoding. */
function readFile(file: string): string {
  try {
    if (statSync(file).size > maxStatementBytes)
      throw new UserError(`${file}: expected at most ${maxStatementBytes} bytes`);
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file));
  } catch (fault) {
    if (fault instanceof UserError) throw fault;
    const why = fault instanceof TypeError ? 'expected a text in UTF-8' : errorMessage(fault);
    throw new UserError(`cannot read ${file}: ${why}`);
  }
}

function print(deps: StatementDeps, options: StaffFlags, view: View, done: string): void {
  const { stdout } = deps;
  const isEqual = view.different === 0;
  const sum = `books ${formatCedis(view.booksMinor)}, statement ${formatCedis(view.statementMinor)} in ${plural(view.sessions, 'payment')}`;
  const others = view.ofOthers === 0 ? '' : `, and ${view.ofOthers} of other channels or merchants`;
  const result = isEqual
    ? 'they are equal'
    : `${plural(view.different, 'difference')}, ${view.unexplained} without an explanation`;
  const rows = view.differences.map((one) => [
    one.id,
    one.kind,
    printable(one.sessionId ?? one.collectionId ?? '-'),
    one.books ? formatCedis(one.books.totalMinor) : '-',
    one.statement ? formatCedis(one.statement.totalMinor) : '-',
    oneLine(printable(one.explanation ? `${one.explanation.actor}: ${one.explanation.text}` : one.why)),
  ]);
  const head = ['difference', 'kind', 'session', 'books', 'statement', 'why'];
  const listed = rows.length === 0 ? '' : `\n${table(stdout.paint, [head, ...rows]).trimEnd()}`;
  const cut = view.isCut ? `\nshown: the first ${rows.length}` : '';
  printAnswer(stdout, options, view, `${done}\n${sum}${others}: ${result}${listed}${cut}`);
  if (view.unexplained > 0) deps.exit(3);
}
