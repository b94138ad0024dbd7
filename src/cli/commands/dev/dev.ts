import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import type { Command } from 'commander';
import { z } from 'zod';
import { aggregators } from '../../../aggregators/registry.ts';
import { findSandboxPort, getGatewayUrl, type Ports, withPorts } from '../../../gateway/config/addresses.ts';
import { findUserConfig } from '../../../gateway/config/find.ts';
import { loadConfig } from '../../../gateway/config/load.ts';
import type { Config } from '../../../gateway/config/schema.ts';
import type { NotificationDelivery } from '../../../gateway/notify/deliver.ts';
import { UserError } from '../../../shared/errors.ts';
import { createLog } from '../../../shared/log.ts';
import { addPortOptions } from '../../command-options.ts';
import type { CommandContext } from '../../context.ts';
import { pointWebhooks } from '../../service/admin-client.ts';
import { dataFolder, readAdminToken } from '../../service/find-service.ts';
import { type Paint, printable, shellWord } from '../../terminal/output.ts';
import { receiverCommand, receiverFile } from '../init/project-files.ts';
import { serveReloading } from './reloading-gateway.ts';

export type DevDeps = Pick<
  CommandContext,
  'env' | 'readEnv' | 'clock' | 'fetch' | 'stdout' | 'stderr' | 'ended'
>;

type Flags = Ports & { config?: string; data?: string };

const help = `
The gateway applies each change of the configuration, a menu, an included file or .env. A file with errors is reported, and the
gateway keeps the configuration before. The sandbox listens on the address of service.url, and sends its webhooks to the gateway,
also after a change of a port. Each notification to the merchant's own system is printed with its answer, and a failed one with the
likely cause. DIALTILL_LOG sets the log level (warn).

Examples:
  $ dialtill init my-till --yes && cd my-till
  $ dialtill dev
  $ dialtill dev --port 9100`;

export function registerDev(program: Command, deps: DevDeps): void {
  addPortOptions(program.command('dev'))
    .option('--config <file>', 'configuration file (default: DIALTILL_CONFIG, else dialtill.yaml)')
    .option('--data <dir>', 'folder of the sandbox (default: DIALTILL_DATA, else ./data)')
    .addHelpText('after', help)
    .action((flags: Flags) => {
      const env = withPorts(deps.env, flags);
      return runDev({ ...deps, env, readEnv: () => withPorts(deps.readEnv(), flags) }, flags);
    });
}

async function runDev(deps: DevDeps, flags: Flags): Promise<void> {
  const { env, stdout, stderr, clock } = deps;
  const file = findUserConfig(flags.config, env);
  if (file === undefined) throw new UserError('no dialtill.yaml here. Create a project: npx dialtill init');
  const config = loadConfig(file, env, aggregators);
  const folder = dataFolder(flags.data, env);
  const port = sandboxPort(config, file, folder);
  const ended = deps.ended();
  const { paint } = stdout;
  const log = createLog({ level: env.DIALTILL_LOG || 'warn', pretty: Boolean(stdout.isTTY) });
  const { serveSandbox } = await import('../../service/sandbox.ts');
  let gatewayUrl = getGatewayUrl(config);
  const sandbox = await serveSandbox(
    {
      ...{ folder, host: '127.0.0.1', port, adminToken: readAdminToken(env) },
      portSetting: `--service-port, DIALTILL_SERVICE_PORT or service.url of ${file}`,
    },
    {
      clock,
      log: log.child({ program: 'service' }),
      isOnTestClock: (url) => url.startsWith(`${gatewayUrl}/`),
    },
  );
  const receiver = existsSync(join(dirname(file), receiverFile)) ? receiverCommand(file) : undefined;
  const describeDelivery = createDeliveryDescriber(paint, receiver);
  try {
    const gateway = await serveReloading(file, {
      clock,
      readEnv: deps.readEnv,
      alsoWatched: [resolve(env.DIALTILL_ENV_FILE || '.env')],
      overrides: {
        log: log.child({ program: 'gateway' }),
        ...{ clock: sandbox.clock, networkClock: clock },
        onDelivery: (delivery) => stdout.write(describeDelivery(delivery)),
      },
      async onServing(served, url) {
        gatewayUrl = url;
        const merchantIds = served.merchants.map(({ id }) => id);
        await pointWebhooks(deps, { serviceUrl: sandbox.url, folder, gatewayUrl, merchantIds }, (from, to) =>
          stdout.write(`A webhook was moved: ${from} → ${to}\n`),
        );
        if (findSandboxPort(served.service) !== port)
          stderr.write(`The sandbox still listens on ${sandbox.url}: to move it, restart dialtill dev.\n`);
      },
      onReload: (changed) => stdout.write(`${paint('green', 'reloaded')} ${relative('.', changed)}\n`),
      onErrors: (message) => stderr.write(`${message}\nThe gateway keeps the configuration before.\n`),
    });
    stdout.write(greeting(config, { gatewayUrl, serviceUrl: sandbox.url, file, paint, receiver }));
    await ended;
    await gateway.stop();
  } finally {
    await sandbox.stop();
  }
}

/**
 * Returns the port at which the configuration expects the sandbox.
 *
 * @throws UserError when the configuration is for another service, or the folder has no sandbox.
 */
function sandboxPort({ environment, service }: Config, file: string, folder: string): number {
  const port = findSandboxPort(service);
  if (environment !== 'test' || port === undefined)
    throw new UserError(
      `${file}: expected environment test and a sandbox on this machine: service.url, such as http://127.0.0.1:8090, and ` +
        'service.simulator true. For another service, run: npx dialtill start',
    );
  if (!existsSync(join(folder, 'sandbox.db')))
    throw new UserError(
      `${folder} has no sandbox.db with the merchant's key. Create a project with a sandbox: npx dialtill init <folder>`,
    );
  return port;
}

type Served = {
  gatewayUrl: string;
  serviceUrl: string;
  file: string;
  paint: Paint;
  /** The command that starts the merchant's own system. */
  receiver: string | undefined;
};

function greeting({ channels, merchants, phone, console: pages }: Config, at: Served): string {
  const dials = channels.map(
    ({ serviceCode }) => `    npx dialtill dial ${shellWord(serviceCode)} --msisdn 0244123456`,
  );
  return `${[
    `${at.paint('bold', merchants.map(({ name }) => name).join(', '))}: test keys and simulated phones; no real money moves.`,
    '',
    ...(phone ? [`  phone     ${at.paint('bold', `${phone.publicUrl}/phone`)}   (pay in a browser)`] : []),
    ...(pages ? [`  console   ${pages.publicUrl}/console   (for support staff: dialtill staff add)`] : []),
    `  gateway   ${at.gatewayUrl}`,
    `  service   ${at.serviceUrl}   (its API: ${at.serviceUrl}/docs)`,
    `  settings  ${at.file}   (changes of it and of the menus apply at once)`,
    '',
    ...(at.receiver === undefined
      ? []
      : [
          '  Start your own system, which is notified of payments, in a second terminal:',
          `    ${at.receiver}`,
          '',
        ]),
    `  Dial from ${at.receiver === undefined ? 'a second' : 'another'} terminal:`,
    ...dials.slice(0, 3),
    '    npx dialtill ledger find 0244123456',
    '',
    '  Stop with ctrl-c. The next start keeps the data.',
    '',
  ].join('\n')}\n`;
}

const payment = z.object({
  data: z.object({ short_reference: z.string(), confirmed: z.boolean().optional() }),
});

/**
 * Returns a function that describes each attempt to notify a merchant's system in one line. The likely cause of a failure follows
 * when the endpoint did not fail in the same way before.
 *
 * @param receiver the command that starts the merchant's system, where it is known.
 */
export function createDeliveryDescriber(paint: Paint, receiver: string | undefined) {
  /** By endpoint. A merchant has a few. */
  const lastResults = new Map<string, string>();
  return (delivery: NotificationDelivery): string => {
    const { endpoint, notification, isDelivered, status, error } = delivery;
    const about = [...describePayment(notification), endpoint.url];
    const head = isDelivered ? paint('green', 'notified') : paint('red', 'not notified');
    const result = status === null ? `${error}` : `HTTP ${status}`;
    const isKnown = lastResults.get(endpoint.id) === result;
    lastResults.set(endpoint.id, result);
    const line = `${head}  ${printable(about.join('  '))}  ${result}\n`;
    return isDelivered || isKnown ? line : `${line}  ${likelyCause(delivery, receiver)}\n`;
  };
}

/** Two notifications of one payment can differ in `confirmed` alone. */
function describePayment({ type, body }: NotificationDelivery['notification']): string[] {
  const { data } = payment.safeParse(JSON.parse(body)).data ?? {};
  return [data?.confirmed ? `${type} confirmed` : type, ...(data ? [data.short_reference] : [])];
}

function likelyCause(
  { endpoint: { id, url }, status, error }: NotificationDelivery,
  receiver: string | undefined,
): string {
  const command = (action: string) => `npx dialtill merchant endpoints ${action} ${id}`;
  switch (status ?? error) {
    case 401:
      return `Likely cause: your system has another secret. Start it with HOOKS_SECRET of .env, or get a new secret: ${command('rotate')}`;
    case 403:
      return 'Likely cause: your framework protects the path, for example against CSRF. Exclude this path from the protection.';
    case 404:
    case 405:
      return 'Likely cause: your system has another path, or does not accept POST there. Compare it with the URL of the endpoint.';
    case 410:
      return `Your system refused all further notifications. To send again: ${command('enable')}`;
    case 'connection':
      return `Likely cause: your system does not run. Nothing listens at ${new URL(url).origin}.${receiver === undefined ? '' : ` Start it: ${receiver}`}`;
    case 'timeout':
      return 'Your system did not answer within 15 seconds. Answer first, and work on the notification afterwards.';
    case 'address_refused':
      return 'The address is not a public one. Add its network to notify.allowPrivate of the merchant in dialtill.yaml.';
    case 'secret_unreadable':
      return `notify.secretsKey has changed, so that the secret cannot be read. Get a new one: ${command('rotate')}`;
  }
  return status !== null && status < 400
    ? 'Redirects are not followed. Add the final address as the endpoint.'
    : `Read the log of your system. The answer: ${command('log')}`;
}
