import { type Command, InvalidArgumentError } from 'commander';
import type { z } from 'zod';
import { type FeeScheduleBody, fee, feePage } from '../../contract/service/admin.ts';
import { channels } from '../../contract/service/session.ts';
import type { Tolerant } from '../../contract/tolerant.ts';
import { formatCedis, maxAmountMinor } from '../../shared/money.ts';
import { table } from '../terminal/output.ts';
import { oneOf, wholeNumber } from './arguments.ts';
import { type CommandKit, type MerchantOptions, merchantOption, merchantPath } from './command-kit.ts';

type Fee = Tolerant<z.infer<typeof fee>>;
type Band = NonNullable<FeeScheduleBody['bands']>[number];
type SetOptions = MerchantOptions & {
  /** In basis points. */
  percent: number;
  fixed?: number;
  floor?: number;
  cap?: number;
  band?: Band[];
};

const pesewas = wholeNumber(0, maxAmountMinor);

/** `dialtill service fees`. */
export function registerFees(service: Command, kit: CommandKit): void {
  const group = service.command('fees').description('show and set the fee schedules of a merchant');

  kit
    .command(group, 'show', 'show the current schedules', 'show --merchant mch_01k…')
    .addOption(merchantOption())
    .action(async (options: MerchantOptions) => {
      const client = kit.client(options);
      const page = await client.get(`${await merchantPath(client, options)}/fees`, feePage);
      kit.print(options, page, ({ data }) =>
        table(kit.paint, [['channel', 'source', 'schedule'], ...data.map(feeRow)]),
      );
    });

  kit
    .command(
      group,
      'set',
      "set a merchant's own schedule for one channel; it applies to new sessions",
      'set ussd --percent 1.5 --floor 10 --cap 1000',
    )
    .argument('<channel>', 'ussd or web', oneOf(channels))
    .addOption(merchantOption())
    .requiredOption('--percent <share>', "share of the goods' value in percent, 0 to 100: 1.5", parsePercent)
    .option('--fixed <pesewas>', 'amount added to the share', pesewas)
    .option('--floor <pesewas>', 'minimum fee', pesewas)
    .option('--cap <pesewas>', 'maximum fee', pesewas)
    .option(
      '--band <up-to:percent[:fixed]>',
      'another rate for goods up to this value in pesewas; repeatable, in ascending order',
      parseBand,
    )
    .action(async (channel: string, options: SetOptions) => {
      const { percent, fixed, floor, cap, band = [] } = options;
      const schedule: FeeScheduleBody = {
        basis_points: percent,
        ...(fixed === undefined ? {} : { fixed_minor: fixed }),
        ...(floor === undefined ? {} : { floor_minor: floor }),
        ...(cap === undefined ? {} : { cap_minor: cap }),
        ...(band.length === 0 ? {} : { bands: band }),
      };
      const client = kit.client(options);
      const path = `${await merchantPath(client, options)}/fees/${channel}`;
      kit.print(options, await client.send('PUT', path, fee, schedule), formatChanged);
    });

  kit
    .command(group, 'clear', "return to the service's default schedule", 'clear ussd')
    .argument('<channel>', 'ussd or web', oneOf(channels))
    .addOption(merchantOption())
    .action(async (channel: string, options: MerchantOptions) => {
      const client = kit.client(options);
      const path = `${await merchantPath(client, options)}/fees/${channel}`;
      kit.print(options, await client.send('DELETE', path, fee), formatChanged);
    });
}

function formatChanged(changed: Fee): string {
  return `${feeRow(changed).join('  ')}, for new sessions\n`;
}

function feeRow({ channel, overridden, schedule }: Fee): string[] {
  const { floor_minor, cap_minor, bands = [] } = schedule;
  const parts = [
    ...bands.map((band) => `up to ${formatCedis(band.up_to_minor)}: ${formatRate(band)}`),
    `${bands.length > 0 ? 'above: ' : ''}${formatRate(schedule)}`,
    ...(floor_minor === undefined ? [] : [`at least ${formatCedis(floor_minor)}`]),
    ...(cap_minor === undefined ? [] : [`at most ${formatCedis(cap_minor)}`]),
  ];
  return [channel, overridden ? 'merchant' : 'service default', parts.join(', ')];
}

function formatRate({ basis_points, fixed_minor = 0 }: Omit<Band, 'up_to_minor'>): string {
  const share = `${basis_points / 100} %`;
  return fixed_minor > 0 ? `${share} + ${formatCedis(fixed_minor)}` : share;
}

/** Parses percent with at most two decimals; returns basis points. */
function parsePercent(text: string): number {
  const match = /^(\d{1,3})(?:\.(\d{1,2}))?$/.exec(text);
  const basisPoints = Number(match?.[1]) * 100 + Number((match?.[2] ?? '').padEnd(2, '0'));
  if (match && basisPoints <= 10_000) return basisPoints;
  throw new InvalidArgumentError('Expected percent from 0 to 100, with at most two decimals: 1.5');
}

function parseBand(text: string, previous: readonly Band[] | undefined): Band[] {
  const [upTo, percent, fixed, ...rest] = text.split(':');
  if (upTo === undefined || percent === undefined || rest.length > 0) {
    throw new InvalidArgumentError('Expected up-to:percent or up-to:percent:fixed, such as 5000:0:25');
  }
  const band = { up_to_minor: pesewas(upTo), basis_points: parsePercent(percent) };
  return [...(previous ?? []), fixed === undefined ? band : { ...band, fixed_minor: pesewas(fixed) }];
}
