import { type Command, InvalidArgumentError, Option } from 'commander';
import { decidedReasons, paymentReviews, unpaidReasons } from '../../../contract/merchant/payment-reason.ts';
import type { TimeSpan } from '../../../gateway/ledger/day.ts';
import {
  readMoment,
  readPreset,
  statusFilters,
  type TimePreset,
  timePresets,
} from '../../../gateway/support/filter-text.ts';
import type { CollectionFilter, StatusFilter } from '../../../gateway/support/selection-query.ts';
import { type EpochMs, systemClock } from '../../../shared/clock.ts';
import { UsageError } from '../../../shared/errors.ts';
import { type AmountMinor, formatCedis, parseCedis } from '../../../shared/money.ts';
import type { Msisdn } from '../../../shared/msisdn.ts';
import { parseMsisdnArgument } from '../../service/arguments.ts';

export type FilterOptions = {
  status?: StatusFilter;
  merchant?: string;
  channel?: string;
  network?: string;
  reason?: string;
  from?: string;
  to?: string;
  when?: TimePreset;
  min?: AmountMinor;
  max?: AmountMinor;
  dialler?: Msisdn;
  last4?: string;
  assigned?: string;
};

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
      new Option(
        '--status <status>',
        'only collections with this status, or in this group: waiting, unpaid, decide',
      ).choices(statusFilters),
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
    .addOption(
      new Option(
        '--when <days>',
        'only collections opened in these days, in place of --from and --to',
      ).choices(timePresets),
    )
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

/** Returns the filter of the options. @throws UsageError when a time is invalid, or a span contains nothing. */
export function readFilterOptions(
  options: FilterOptions,
  now?: EpochMs,
  timeZone?: string,
): CollectionFilter {
  const { min, max, merchant, ...same } = options;
  const times = readTimes(options, now, timeZone);
  if (min !== undefined && max !== undefined && max < min)
    throw new UsageError(`--max ${formatCedis(max)} is less than --min ${formatCedis(min)}`);
  const { status, channel, network, reason, dialler, last4, assigned } = same;
  return {
    ...{ status, channel, network, reason, dialler, last4, assigned, ...times },
    merchantId: merchant,
    minMinor: min,
    maxMinor: max,
  };
}

/**
 * Returns the times of `--from` and `--to`, or of `--when`.
 *
 * @param now the time from which the days of `--when` count.
 * @throws UsageError when one is invalid, or the span contains nothing.
 */
export function readTimes(
  { from, to, when }: Pick<FilterOptions, 'from' | 'to' | 'when'>,
  now: EpochMs = systemClock().now(),
  timeZone?: string,
): { from: EpochMs | undefined; before: EpochMs | undefined } {
  if (when !== undefined) {
    if (from !== undefined || to !== undefined)
      throw new UsageError('choose one of --when, and --from with --to');
    const span = readPreset(when, { now, timeZone });
    return { from: span?.from, before: span?.to };
  }
  const first = from === undefined ? undefined : readSpan(from, '--from', timeZone);
  const last = to === undefined ? undefined : readSpan(to, '--to', timeZone);
  if (first !== undefined && last !== undefined && last.to <= first.from)
    throw new UsageError(`--to ${to} is before --from ${from}`);
  return { from: first?.from, before: last?.to };
}

/** Returns the span of a day or of a minute, in Ghana by default. */
function readSpan(text: string, option: string, timeZone: string | undefined): TimeSpan {
  const span = readMoment(text, timeZone);
  if (span) return span;
  throw new UsageError(
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
