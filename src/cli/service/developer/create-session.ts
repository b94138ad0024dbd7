import { type Command, Option } from 'commander';
import { serviceOperations } from '../../../contract/service/service-operations.ts';
import { type Network, networks } from '../../../contract/service/session.ts';
import type { Environment } from '../../../gateway/config/secrets.ts';
import type { Clock } from '../../../shared/clock.ts';
import { UserError } from '../../../shared/errors.ts';
import { systemIds } from '../../../shared/ids.ts';
import { formatCedis } from '../../../shared/money.ts';
import { operatorByPrefix, parseMsisdn } from '../../../shared/msisdn.ts';
import type { ServiceClient } from '../admin-client.ts';
import { parseCedisArgument, parseMsisdnArgument } from '../arguments.ts';
import { type CommandKit, formatFields, type MerchantOptions, merchantOption } from '../command-kit.ts';
import { connectAsMerchant, readServiceKey } from './merchant-api.ts';

type Options = MerchantOptions & {
  msisdn: string;
  amount: number;
  network?: Network;
  reference?: string;
  web?: true;
  idempotencyKey?: string;
  initiate?: true;
};

const keyHelp = `
The key is DIALTILL_SERVICE_KEY (or DIALTILL_SERVICE_KEY_FILE). Without it, the first use creates a test key and stores it
in the data folder.`;

/** `dialtill service sessions create`. */
export function registerCreateSession(
  sessions: Command,
  kit: CommandKit,
  { env, clock }: { env: Environment; clock: Clock },
): void {
  kit
    .command(
      sessions,
      'create',
      "create a session as a merchant's program does, by default offline",
      'create --msisdn 0244123901 --amount 20 --initiate',
    )
    .addOption(merchantOption())
    .requiredOption('--msisdn <number>', "the payer's number, such as 0244123901", parseMsisdnArgument)
    .requiredOption('--amount <cedis>', 'the value of the goods, such as 20 or 20.50', parseCedisArgument)
    .addOption(
      new Option('--network <network>', "the network (default: by the number's prefix)").choices(networks),
    )
    .option('--reference <text>', "the merchant's reference (default: a new one)")
    .option('--web', 'a web session')
    .option('--idempotency-key <key>', 'repeat the call with this key (default: a new one)')
    .option('--initiate', 'send the prompt too; not with a live key')
    .addHelpText('after', keyHelp)
    .action(async (options: Options) => {
      if (options.initiate && readServiceKey(env)?.startsWith('sk_live_')) {
        throw new UserError('--initiate with a live key would charge a payer. Use a test key.');
      }
      const api = await connectAsMerchant(kit, options, env);
      const session = await createTestSession(api, clock, { ...options, amountMinor: options.amount });
      const initiated = options.initiate
        ? await api.operate(serviceOperations.initiateSession, {
            params: { session_id: session.id },
            body: {},
          })
        : undefined;
      const shown = { ...session, ...initiated };
      kit.print(options, shown, ({ id, status, goods_minor, expected_fee_minor, amount_minor }) =>
        formatFields([
          ['session', id],
          ['status', status],
          ['goods', formatCedis(goods_minor)],
          ['fee', formatCedis(expected_fee_minor)],
          ['amount', formatCedis(amount_minor)],
        ]),
      );
    });
}

type NewSession = {
  msisdn: string;
  amountMinor: number;
  network?: Network | undefined;
  reference?: string | undefined;
  web?: boolean | undefined;
  idempotencyKey?: string | undefined;
};

/** Creates a session, by default offline, with a reference and an idempotency key of its own. */
export function createTestSession(api: ServiceClient, clock: Clock, session: NewSession) {
  const ids = systemIds(clock);
  const { msisdn, amountMinor, reference = ids.next('cli'), idempotencyKey = ids.next('try') } = session;
  return api.operate(serviceOperations.createSession, {
    body: {
      mode: session.web ? 'web' : 'offline',
      msisdn,
      amount_minor: amountMinor,
      network: session.network ?? getNetwork(msisdn),
      reference,
    },
    idempotencyKey,
  });
}

/** The network of the number's prefix; `mtn` for a prefix of no network. */
function getNetwork(msisdn: string): Network {
  const parsed = parseMsisdn(msisdn);
  const operator = parsed === undefined ? 'unknown' : operatorByPrefix(parsed);
  return operator === 'telecel' || operator === 'at' ? operator : 'mtn';
}
