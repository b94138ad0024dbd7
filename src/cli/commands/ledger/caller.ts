import { Option } from 'commander';
import { computeTotal } from '../../../gateway/collection/collection.ts';
import type { CallerRole } from '../../../gateway/support/caller-query.ts';
import type { SupportResult } from '../../../gateway/support/reads.ts';
import { sessionEndWords } from '../../../gateway/support/session-end.ts';
import { UserError } from '../../../shared/errors.ts';
import { formatCedis } from '../../../shared/money.ts';
import {
  findMsisdn,
  localForm,
  type Msisdn,
  operatorByPrefix,
  operatorTitles,
} from '../../../shared/msisdn.ts';
import { plural } from '../../../shared/plural.ts';
import { showTime } from '../../../shared/time-text.ts';
import {
  addPageOptions,
  type CommandGroup,
  type PageOptions,
  readPageRequest,
} from '../../command-options.ts';
import {
  printLedgerJson,
  type ReadDeps,
  type ReadOptions,
  readPage,
  readTimeZone,
} from '../../open-reads.ts';
import { oneLine, type Paint, pageFooter, table } from '../../terminal/output.ts';

type CallerOptions = ReadOptions & PageOptions & { role?: CallerRole };
type Caller = Exclude<SupportResult<'caller'>, 'unknown_cursor' | undefined>;

export function registerCaller({ addRead }: CommandGroup, deps: ReadDeps): void {
  const command = addRead({
    usage: 'caller <number...>',
    description:
      'show everything about one phone, and what to say to its owner: payments in both roles, dialogues that came to nothing, unplaced money, blocks and notes; the id of a payment stands for its payer, that of a dialogue for the phone that dialled',
    examples: ['caller 0244123456', 'caller 0244123456 --role dialler', 'caller dlg_01k… --json'],
  }).addOption(
    new Option(
      '--role <role>',
      'only payments in this role; dialler: those that the phone requested from others',
      // Not `callerRoles`: its file loads the schema of the ledger, which the help of a command does not need.
    ).choices(['payer', 'dialler'] satisfies CallerRole[]),
  );
  addPageOptions(command).action((words: string[], options: CallerOptions) =>
    printCaller(deps, words.join(' '), options),
  );
}

/** Prints what is known about a phone. @throws UserError for an unknown id, and for an unknown cursor. */
async function printCaller(deps: ReadDeps, name: string, options: CallerOptions): Promise<void> {
  const { stdout } = deps;
  const msisdn = findMsisdn(name);
  if (msisdn === undefined && !/^(col|dlg)_/.test(name))
    throw new UserError(
      `expected a number such as 0244123456, or the id of a payment or a dialogue, found ${name}`,
    );
  const of = msisdn === undefined ? { id: name } : { msisdn };
  const input = { of, role: options.role, ...readPageRequest(options) };
  const caller = await readPage(deps, options, ['caller', input], 'collection');
  if (!caller) throw new UserError(`no payment and no dialogue ${name}. Old dialogues are deleted`);
  if (options.json) printLedgerJson(stdout, caller);
  else {
    const rows = [...caller.payments.data, ...caller.unopened, ...caller.unplaced];
    const merchantIds = rows.map(({ merchantId }) => merchantId);
    stdout.write(describeCaller(stdout.paint, caller, await readTimeZone(deps, options, merchantIds)));
  }
}

function describeCaller(paint: Paint, caller: Caller, zone: string | undefined): string {
  const { msisdn, counts, paid, lastAt, text, habits, payments, unopened, unplaced, blocks, notes } = caller;
  const moment = (at: number) => showTime(at, zone);
  const inZone = (name: string) => `${name} (${zone ?? 'UTC'})`;
  const operator = operatorByPrefix(msisdn as Msisdn);
  const head = [
    localForm(msisdn as Msisdn),
    ...(operator === 'unknown' ? [] : [operatorTitles[operator]]),
    `${plural(counts.payer, 'payment')}${paid === null ? '' : `, ${paid} paid`}`,
    ...(counts.dialler === 0 ? [] : [`${counts.dialler} requested from other phones`]),
    ...(lastAt === null ? [] : [`last dialled ${moment(lastAt)} ${zone ?? 'UTC'}`]),
  ];
  const list = (title: string, rows: readonly (readonly string[])[], head: readonly string[]) =>
    rows.length === 0 ? '' : `\n${paint('bold', title)}\n${table(paint, [head, ...rows])}`;
  return [
    `${paint('bold', head.join(' · '))}\n`,
    text === null ? '' : `\nsay to the caller  ${text.en}\nin Twi             ${text.tw}\n`,
    habits === null ? '' : `\n${describeHabits(habits)}\n`,
    list(
      'payments',
      payments.data.map((row) => [...paymentCells(row, msisdn), moment(row.openedAt)]),
      [...paymentHead, inZone('opened')],
    ),
    payments.data.length === 0 ? '' : pageFooter(payments, 'payment'),
    list(
      'dialogues that came to nothing',
      unopened.map((one) => [
        ...[one.dialogueId, moment(one.startedAt), sessionEndWords[one.end]],
        one.lastScreen.split('\n')[0] ?? '',
      ]),
      ['dialogue', inZone('dialled'), 'ended', 'last screen'],
    ),
    list(
      'unplaced money',
      unplaced.map((one) => [
        ...[one.id, one.amountMinor === null ? 'not stated' : formatCedis(one.amountMinor)],
        ...[moment(one.receivedAt), one.reason, one.reference ?? '-'],
      ]),
      ['payment', 'amount', inZone('received'), 'reason', 'reference'],
    ),
    list(
      'blocks',
      blocks.map(({ role, merchantId, actor, at, until, reason }) => [
        ...[role, merchantId ?? 'all merchants', actor, moment(at)],
        ...[until === null ? '-' : moment(until), reason],
      ]),
      ['as', 'where', 'by', inZone('at'), inZone('until'), 'reason'],
    ),
    list(
      'notes',
      notes.map(({ subjectId, actor, at, text }) => [moment(at), actor, subjectId, text]),
      [inZone('at'), 'by', 'payment', 'note'],
    ),
  ].join('');
}

function describeHabits({
  payments,
  ownPhone,
  lowMinor,
  highMinor,
  answerMs,
}: NonNullable<Caller['habits']>): string {
  const prices =
    lowMinor === highMinor ? formatCedis(lowMinor) : `${formatCedis(lowMinor)} to ${formatCedis(highMinor)}`;
  const answers = answerMs === null ? '' : `, prompts answered in ${Math.round(answerMs / 1_000)} s (median)`;
  return `habits             of ${payments} paid payments, ${ownPhone} dialled by this phone, usually ${prices}${answers}`;
}

const paymentHead = ['payment', 'status', 'total', 'role', 'merchant', 'reference'];

function paymentCells(row: Caller['payments']['data'][number], msisdn: string): string[] {
  const { id, status, payer, dialler, merchantId, reference } = row;
  const byOther = payer === msisdn ? `payer, requested by ${phone(dialler)}` : `dialled for ${phone(payer)}`;
  return [
    ...[id, status, formatCedis(computeTotal(row))],
    ...[payer === dialler ? 'payer' : byOther, merchantId, oneLine(reference)],
  ];
}

const phone = (msisdn: string) => localForm(msisdn as Msisdn);
