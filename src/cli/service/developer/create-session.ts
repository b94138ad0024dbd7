import { join } from 'node:path';
import { type Command, Option } from 'commander';
import { z } from 'zod';
import type { KeyScope } from '../../../contract/service/admin.ts';
import { serviceOperations } from '../../../contract/service/service-operations.ts';
import { type Network, networks } from '../../../contract/service/session.ts';
import { type Environment, resolveVariable } from '../../../gateway/config/secrets.ts';
import type { Clock } from '../../../shared/clock.ts';
import { UserError } from '../../../shared/errors.ts';
import { systemIds } from '../../../shared/ids.ts';
import { formatCedis } from '../../../shared/money.ts';
import { operatorByPrefix, parseMsisdn } from '../../../shared/msisdn.ts';
import { createFolder, replacePrivately } from '../../../sqlite/private-file.ts';
import { readStateFile } from '../../state-file.ts';
import { RequestRejectedError, type ServiceClient } from '../admin-client.ts';
import { parseCedisArgument, parseMsisdnArgument } from '../arguments.ts';
import {
  type CommandKit,
  formatFields,
  type MerchantOptions,
  merchantOption,
  readMerchantId,
} from '../command-kit.ts';
import { dataFolder } from '../find-service.ts';

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

/** The scopes of the developer's own key. It is a test key, so it charges no payer. */
const developerScopes: KeyScope[] = [
  'collections:offline',
  'collections:web',
  'sessions:read',
  'events:read',
];

const developerKeys = z.record(z.string(), z.string());

/**
 * Reads a merchant's key from `DIALTILL_SERVICE_KEY`, or from the file that `DIALTILL_SERVICE_KEY_FILE` names. There is
 * no command line option for it: other users of the machine can read the options of a running process.
 *
 * @throws UserError if both are set, or the file cannot be read.
 */
export function readServiceKey(env: Environment): string | undefined {
  if (!env.DIALTILL_SERVICE_KEY && !env.DIALTILL_SERVICE_KEY_FILE) return undefined;
  const found = resolveVariable('DIALTILL_SERVICE_KEY', env);
  if ('value' in found) return found.value;
  throw new UserError(`cannot read the merchant's key: ${found.message}.`);
}

/**
 * Connects to the API as a merchant: with the key of the environment, else with a test key that the first use creates
 * and stores in the data folder.
 *
 * @throws UserError if there is no key and none can be created.
 */
export async function connectAsMerchant(
  kit: CommandKit,
  options: MerchantOptions,
  env: Environment,
): Promise<ServiceClient> {
  const client = kit.client(options);
  const given = readServiceKey(env);
  if (given !== undefined) return client.withKey(given);
  const folder = dataFolder(options.data, env);
  const file = join(folder, 'developer-keys.json');
  const merchantId = await readMerchantId(client, options.merchant);
  const remedy = 'Remove it: the next command creates new test keys.';
  const stored = readStateFile(file, { schema: developerKeys, remedy }) ?? {};
  const key = stored[merchantId];
  if (key !== undefined && (await isValid(client, key))) return client.withKey(key);
  const created = await client.operate(serviceOperations.createKey, {
    params: { id: merchantId },
    body: { livemode: false, scopes: developerScopes },
  });
  createFolder(folder);
  replacePrivately(file, `${JSON.stringify({ ...stored, [merchantId]: created.key }, null, 2)}\n`);
  return client.withKey(created.key);
}

async function isValid(client: ServiceClient, key: string): Promise<boolean> {
  try {
    await client.withKey(key).text(serviceOperations.listEvents, { query: { limit: '1' } });
    return true;
  } catch (fault) {
    if (fault instanceof RequestRejectedError && fault.code === 'invalid_api_key') return false;
    throw fault;
  }
}
