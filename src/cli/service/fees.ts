import { type Command, InvalidArgumentError } from 'commander';
import { formatCedis, maxAmountMinor } from '../../shared/money.ts';
import { table } from '../terminal/output.ts';
import { part } from './admin-client.ts';
import {
  type CommandKit,
  type CommonOptions,
  merchantOf,
  merchantOption,
  oneOf,
  wholeNumber,
} from './command-kit.ts';
import { type Fee, fee, fees } from './responses.ts';

type Options = CommonOptions & { merchant?: string };
type Band = { up_to_minor: number; basis_points: number; fixed_minor?: number };
type SetOptions = Options & { percent: number; fixed?: number; floor?: number; cap?: number; band?: Band[] };

const channel = oneOf(['ussd', 'web'] as const);
const pesewas = wholeNumber(0, maxAmountMinor);

/** `dialtill service fees`. */
export function registerFees(service: Command, desk: CommandKit): void {
  const group = service.command('fees').description('what a channel costs a merchant');

  desk
    .command(group, 'show', 'show the schedules in force', 'show --merchant mch_01k…')
    .addOption(merchantOption())
    .action(async (options: Options) => {
      const office = desk.office(options);
      const path = `/merchants/${part(await merchantOf(office, options.merchant))}/fees`;
      desk.show(options, await office.get(path, fees), (found) =>
        table(desk.paint, [['channel', 'whose', 'schedule'], ...found.fees.map(row)]),
      );
    });

  desk
    .command(
      group,
      'set',
      "set a merchant's own schedule of ussd or web, for sessions from now on",
      'set ussd --percent 1.5 --floor 10 --cap 1000',
    )
    .argument('<channel>', 'ussd or web', channel)
    .addOption(merchantOption())
    .requiredOption('--percent <share>', "share of the goods' value in percent, 0 to 100: 1.5", readPercent)
    .option('--fixed <pesewas>', 'added to the share', pesewas)
    .option('--floor <pesewas>', 'the fee is never less', pesewas)
    .option('--cap <pesewas>', 'the fee is never more', pesewas)
    .option(
      '--band <up-to:percent[:fixed]>',
      'another rate for goods up to so many pesewas; may be given several times, rising',
      readBand,
    )
    .action(async (name: string, options: SetOptions) => {
      const { percent, fixed, floor, cap, band = [] } = options;
      const office = desk.office(options);
      const path = `/merchants/${part(await merchantOf(office, options.merchant))}/fees/${name}`;
      const set = await office.send('PUT', path, fee, {
        basis_points: percent,
        ...(fixed === undefined ? {} : { fixed_minor: fixed }),
        ...(floor === undefined ? {} : { floor_minor: floor }),
        ...(cap === undefined ? {} : { cap_minor: cap }),
        ...(band.length === 0 ? {} : { bands: band }),
      });
      desk.show(options, set, (one) => `${row(one).join('  ')}, for sessions from now on\n`);
    });

  desk
    .command(group, 'clear', "go back to the service's own schedule", 'clear ussd')
    .argument('<channel>', 'ussd or web', channel)
    .addOption(merchantOption())
    .action(async (name: string, options: Options) => {
      const office = desk.office(options);
      const path = `/merchants/${part(await merchantOf(office, options.merchant))}/fees/${name}`;
      const cleared = await office.send('DELETE', path, fee);
      desk.show(options, cleared, (one) => `${row(one).join('  ')}, for sessions from now on\n`);
    });
}

function row({ channel, overridden, schedule }: Fee): string[] {
  const { floor_minor, cap_minor, bands = [] } = schedule;
  const parts = [
    ...bands.map((band) => `up to ${formatCedis(band.up_to_minor)}: ${rateText(band)}`),
    `${bands.length > 0 ? 'above: ' : ''}${rateText(schedule)}`,
    ...(floor_minor === undefined ? [] : [`at least ${formatCedis(floor_minor)}`]),
    ...(cap_minor === undefined ? [] : [`at most ${formatCedis(cap_minor)}`]),
  ];
  return [channel, overridden ? "merchant's own" : "service's", parts.join(', ')];
}

function rateText({
  basis_points,
  fixed_minor = 0,
}: {
  basis_points: number;
  fixed_minor?: number | undefined;
}): string {
  const share = `${basis_points / 100} %`;
  return fixed_minor > 0 ? `${share} + ${formatCedis(fixed_minor)}` : share;
}

/** Percent with at most two decimals, as hundredths of a percent. */
function readPercent(text: string): number {
  const match = /^(\d{1,3})(?:\.(\d{1,2}))?$/.exec(text);
  const basisPoints = Number(match?.[1]) * 100 + Number((match?.[2] ?? '').padEnd(2, '0'));
  if (match && basisPoints <= 10_000) return basisPoints;
  throw new InvalidArgumentError('Expected percent from 0 to 100, with at most two decimals: 1.5');
}

function readBand(text: string, before: readonly Band[] = []): Band[] {
  const [upTo, percent, fixed, ...more] = text.split(':');
  if (upTo === undefined || percent === undefined || more.length > 0) {
    throw new InvalidArgumentError('Expected up-to:percent or up-to:percent:fixed, such as 5000:0:25');
  }
  const band = { up_to_minor: pesewas(upTo), basis_points: readPercent(percent) };
  return [...before, fixed === undefined ? band : { ...band, fixed_minor: pesewas(fixed) }];
}
