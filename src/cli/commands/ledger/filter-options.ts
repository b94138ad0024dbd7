import { type Command, InvalidArgumentError, Option } from 'commander';
import { decidedReasons, paymentReviews, unpaidReasons } from '../../../contract/merchant/payment-reason.ts';
import { closedStatuses, openStatuses, type Status } from '../../../gateway/collection/collection.ts';
import { readDay, type TimeSpan } from '../../../gateway/ledger/day.ts';
import type { CollectionFilter } from '../../../gateway/support/selection-query.ts';
import type { EpochMs } from '../../../shared/clock.ts';
import { UserError } from '../../../shared/errors.ts';
import { type AmountMinor, formatCedis, parseCedis } from '../../../shared/money.ts';
import type { Msisdn } from '../../../shared/msisdn.ts';
import { parseMsisdnArgument } from '../../service/arguments.ts';

export type FilterOptions = {
  status?: Status;
  merchant?: string;
  channel?: string;
  network?: string;
  reason?: string;
  from?: string;
  to?: string;
  min?: AmountMinor;
  max?: AmountMinor;
  dialler?: Msisdn;
  last4?: string;
  assigned?: string;
};

const minuteMs = 60_000;

const reasonsHelp = `
Reasons (docs/reasons-and-statuses.md explains each one):
${wrapped([...new Set([...unpaidReasons, ...decidedReasons, ...paymentReviews])].join(', '), 110)}`;

/** Breaks a text into lines of at most `width` characters, each with an indent of two. */
function wrapped(text: string, width: number): string {
  return text.replaceAll(new RegExp(`(.{1,${width - 2}})(?: |$)`, 'g'), '  $1\n').trimEnd();
}

/** Adds the options that select collections. `list` and `export` have the same ones. */
export function addFilterOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--status <status>', 'only collections with this status').choices([
        ...openStatuses,
        ...closedStatuses,
      ]),
    )
    .option('--merchant <id>', 'only collections of this merchant')
    .option('--channel <id>', 'only collections of this channel')
    .option('--network <name>', "only collections of this payer's network, such as mtn")
    .option('--reason <code>', 'only collections that ended, or are in review, for one of the reasons below')
    .option(
      '--from <time>',
      'only collections opened from this day or minute on, such as 2026-03-01 or 2026-03-01T09:30',
    )
    .option('--to <time>', 'only collections opened up to the end of this day or minute')
    .option(
      '--min <amount>',
      'only collections whose price or total is this amount or a higher one, in cedis',
      cedis,
    )
    .option(
      '--max <amount>',
      'only collections whose price or total is this amount or a lower one, in cedis',
      cedis,
    )
    .option('--dialler <number>', 'only collections that this phone requested', parseMsisdnArgument)
    .option(
      '--last4 <digits>',
      "only collections whose payer's or dialler's number ends with these digits",
      fourDigits,
    )
    .option('--assigned <name>', 'only collections that are assigned to this person of support staff')
    .addHelpText('after', reasonsHelp);
}

/** Returns the filter of the options. @throws UserError when a time is invalid, or a span contains nothing. */
export function readFilter(options: FilterOptions): CollectionFilter {
  const { min, max, merchant, ...same } = options;
  const times = readTimes(options);
  if (min !== undefined && max !== undefined && max < min)
    throw new UserError(`--max ${formatCedis(max)} is less than --min ${formatCedis(min)}`);
  const { status, channel, network, reason, dialler, last4, assigned } = same;
  return {
    ...{ status, channel, network, reason, dialler, last4, assigned, ...times },
    merchantId: merchant,
    minMinor: min,
    maxMinor: max,
  };
}

/** Returns the times of `--from` and `--to`. @throws UserError when one is invalid, or the span contains nothing. */
export function readTimes({ from, to }: Pick<FilterOptions, 'from' | 'to'>): {
  from: EpochMs | undefined;
  before: EpochMs | undefined;
} {
  const first = from === undefined ? undefined : readSpan(from, '--from');
  const last = to === undefined ? undefined : readSpan(to, '--to');
  if (first !== undefined && last !== undefined && last.to <= first.from)
    throw new UserError(`--to ${to} is before --from ${from}`);
  return { from: first?.from, before: last?.to };
}

/** Returns the span of a day or of a minute in Ghana, where the time is UTC all year. */
function readSpan(text: string, option: string): TimeSpan {
  const [, day = text, minute] = /^(.{10})[T ](\d\d:\d\d)$/.exec(text) ?? [];
  const span = readDay(day);
  if (span && minute === undefined) return span;
  const from = span ? Date.parse(`${day}T${minute}:00Z`) : Number.NaN;
  // `Date.parse` accepts 24:00 as the next day.
  if (span && from < span.to) return { from, to: from + minuteMs };
  throw new UserError(
    `${option}: expected a day such as 2026-03-01 or a minute such as 2026-03-01T09:30, found ${text}`,
  );
}

function cedis(text: string): AmountMinor {
  const amount = parseCedis(text);
  if (amount === undefined) throw new InvalidArgumentError('Expected an amount in cedis, such as 20.50.');
  return amount;
}

function fourDigits(text: string): string {
  if (/^\d{4}$/.test(text)) return text;
  throw new InvalidArgumentError('Expected four digits.');
}
