import type { Command } from 'commander';
import type { Insights } from '../../contract/merchant/insights.ts';
import type { TotalsScope } from '../../gateway/insights/totals-query.ts';
import { commonTitle, type NamedMenu, nameScreen } from '../../menu/text/screen-title.ts';
import { UserError } from '../../shared/errors.ts';
import { formatCedis } from '../../shared/money.ts';
import { nameNetwork } from '../../shared/msisdn.ts';
import { formatDuration } from '../../shared/time-text.ts';
import { addReadOptions } from '../command-options.ts';
import { type ReadDeps, type ReadOptions, readByName } from '../open-reads.ts';
import { type Paint, printJson, table } from '../terminal/output.ts';

type InsightsOptions = ReadOptions &
  Pick<TotalsScope, 'channel' | 'language'> & { merchant?: string; from?: string; to?: string };

type InsightsDeps = ReadDeps & {
  /** Returns the menus of merchants, by merchant; none without a configuration. */
  menus?(options: ReadOptions): Promise<Readonly<Record<string, NamedMenu>>>;
};

const help = `
Examples:
  $ dialtill insights
  $ dialtill insights --from 2026-11-20 --to 2026-11-26 --merchant abena-stores
  $ dialtill insights --from 2026-11-26 --json

A payment counts in the hour in which it was opened, a dialogue in the hour in which it began. Days are in UTC. Screens have their titles
in the menus of the configuration; --json has their keys.`;

export function registerInsights(program: Command, deps: InsightsDeps): void {
  const command = program
    .command('insights')
    .description('print the figures of a day or of several days: payments, success, and where dialogues end')
    .option('--from <day>', 'the first day, such as 2026-11-26 (default: today)')
    .option('--to <day>', 'the last day (default: the first one); at most 92 days')
    .option('--merchant <id>', 'only this merchant (default: all of them)')
    .option('--channel <id>', 'only this channel')
    .option('--language <code>', 'only dialogues and screens in this language, such as en')
    .option('--json', 'print JSON, as GET /merchant/v1/insights answers')
    .addHelpText('after', help);
  addReadOptions(command).action((options: InsightsOptions) => print(deps, options));
}

/** Prints the figures. @throws UserError when there are no such days. */
async function print(deps: InsightsDeps, options: InsightsOptions): Promise<void> {
  const { stdout } = deps;
  const { from, to, merchant: merchantId = null, channel, language } = options;
  const found = await readByName(deps, options, 'insights', { from, to, merchantId, channel, language });
  if ('message' in found) throw new UserError(`--${found.message}`);
  if (options.json) return printJson(stdout, found);
  const all = (await deps.menus?.(options)) ?? {};
  // The read completes the beginning of an id.
  const named = merchantId ?? '';
  const menus = Object.entries(all).filter(([id]) =>
    Object.hasOwn(all, named) ? id === named : id.startsWith(named),
  );
  const titleOf = (screen: string) =>
    commonTitle(
      menus.map(([, menu]) => menu),
      screen,
      language,
    );
  const screens = found.screens.map((one) => ({
    ...one,
    screen: nameScreen({ title: titleOf(one.screen), screen: one.screen }),
  }));
  stdout.write(`${describe({ ...found, screens }, stdout.paint)}\n`);
}

function describe(found: Insights, paint: Paint): string {
  const { payments, dialogues, compared_with: before, now, counted_until } = found;
  const days = found.from === found.to ? found.from : `${found.from} to ${found.to}`;
  const rows: string[][] = [
    ['', days, `before: ${before.from.slice(0, 10)} until ${before.until.slice(0, 16).replace('T', ' ')}`],
    ['paid', formatCedis(payments.charged_minor), formatCedis(before.payments.charged_minor)],
    ['payments', describeCounts(payments), describeCounts(before.payments)],
    ['success', showRate(payments.success_rate), showRate(before.payments.success_rate)],
    ['dialogues', String(dialogues.begun), String(before.dialogues.begun)],
  ];
  const { waiting, suspense } = now;
  const suspended = suspense.reduce((sum, one) => sum + one.amount_minor, 0);
  const parts = [
    table(paint, rows),
    `waiting now: ${waiting.payments} (${formatCedis(waiting.price_minor)}); in suspense: ${formatCedis(suspended)}\n`,
    ...now.slow_prompts.map(
      ({ network, median_seconds: median, usual_seconds: usual }) =>
        `${nameNetwork(network)} prompts took ${formatDuration(median * 1_000)} in the last hour, usually ${formatDuration(usual * 1_000)}\n`,
    ),
    ...(counted_until === null ? [] : [`counted until ${counted_until}: later rows follow\n`]),
    table(paint, [['step', 'dialogues'], ...found.steps.map((one) => [one.step, String(one.dialogues)])]),
    table(paint, [
      ['network', 'paid', 'not paid', 'success', 'before'],
      ...found.networks.map((one) => [
        ...[one.network, String(one.paid), String(one.not_paid)],
        ...[showRate(one.success_rate), showRate(one.success_rate_before)],
      ]),
    ]),
    table(paint, [
      ['screen', 'dialogues', 'gave up', 'median', 'how', 'refused inputs'],
      ...found.screens.map((one) => [
        ...[one.screen, String(one.dialogues), String(one.gave_up)],
        one.median_seconds === null ? '-' : `${one.median_seconds} s`,
        ...[describeKinds(one.how), describeKinds(one.refused)],
      ]),
    ]),
  ];
  return parts.join('\n').trimEnd();
}

function describeCounts({ paid, not_paid, review, waiting }: Insights['payments']): string {
  return `${paid} paid, ${not_paid} not paid, ${review} in review, ${waiting} waiting`;
}

function describeKinds(counts: Readonly<Record<string, number>>): string {
  const parts = Object.entries(counts).map(([name, count]) => `${count} ${name.replaceAll('_', ' ')}`);
  return parts.length === 0 ? '-' : parts.join(', ');
}

function showRate(rate: number | null): string {
  return rate === null ? '-' : `${(rate * 100).toFixed(1)} %`;
}
