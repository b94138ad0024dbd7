import { dirname } from 'node:path';
import type { Command } from 'commander';
import { aggregators } from '../../aggregators/registry.ts';
import { demoLookupsUrl, demoSignIn, isThisMachine } from '../../demo/demo-config.ts';
import { type Demo, serveDemo } from '../../demo/serve.ts';
import { findSandboxPort, type Ports, readPort, withPorts } from '../../gateway/config/addresses.ts';
import { demoFolder, findUserConfig } from '../../gateway/config/find.ts';
import { loadConfig } from '../../gateway/config/load.ts';
import type { Config } from '../../gateway/config/schema.ts';
import { type Environment, findWeakSecrets } from '../../gateway/config/secrets.ts';
import { type RunningGateway, type RunningServer, serveGateway } from '../../gateway/serve.ts';
import { loadMenu } from '../../menu/file/load.ts';
import { isMerchantScreen } from '../../menu/schema.ts';
import { phoneOverrides } from '../../phone/create.ts';
import { UsageError, UserError } from '../../shared/errors.ts';
import { createLog, type Log } from '../../shared/log.ts';
import { parseMsisdn } from '../../shared/msisdn.ts';
import { formatFileErrors } from '../../shared/yaml.ts';
import { addPortOptions } from '../command-options.ts';
import type { CommandContext } from '../context.ts';
import { pointWebhooks } from '../service/admin-client.ts';
import { shellWord } from '../terminal/output.ts';

export type StartDeps = Pick<
  CommandContext,
  'env' | 'readEnv' | 'hiddenVariables' | 'clock' | 'fetch' | 'stdout' | 'ended' | 'onHangup'
>;

type StartFlags = Ports & {
  config?: string;
  demo?: boolean;
  exposeDemo?: boolean;
  menu?: string;
  attendant?: string[];
  lookups?: string;
};

export function registerStart(program: Command, deps: StartDeps): void {
  addPortOptions(program.command('start'))
    .option(
      '--config <file>',
      'configuration file (default: DIALTILL_CONFIG, else dialtill.yaml, else the demo)',
    )
    .option('--demo', 'run the demo, even when there is a configuration')
    .option(
      '--expose-demo',
      'let the demo listen on an address that other machines can reach (DIALTILL_HOST)',
    )
    .option('--menu <file>', 'run the demo with this menu')
    .option('--attendant <number...>', "phone numbers of the attendants of the demo's merchant")
    .option('--lookups <url>', `URL that answers the lookups of the demo (default: ${demoLookupsUrl})`)
    .addHelpText(
      'after',
      `
Environment: DIALTILL_PORT and DIALTILL_SERVICE_PORT replace the ports of the configuration (8080, and 8090 for a sandbox);
DIALTILL_HOST applies where it names no host. Of the demo: DIALTILL_DATA (./data), and DIALTILL_LOG, the level of its log (warn).

Examples:
  $ dialtill start
  $ dialtill start --port 9100
  $ dialtill start --menu menu.yaml --attendant 0201234567
  $ dialtill start --config dialtill.yaml`,
    )
    .action(async (flags: StartFlags) => {
      const ended = deps.ended();
      const env = withPorts(deps.env, flags);
      const readEnv = () => withPorts(deps.readEnv(), flags);
      const running = await start({ ...deps, env, readEnv }, flags);
      await ended;
      await running.stop();
    });
}

async function start(deps: StartDeps, flags: StartFlags): Promise<RunningServer> {
  const { env, stdout } = deps;
  const pretty = Boolean(stdout.isTTY);
  const file = isDemo(flags) ? undefined : findUserConfig(flags.config, env);
  if (file === undefined) {
    const host = env.DIALTILL_HOST || '127.0.0.1';
    if (!isThisMachine(host) && flags.exposeDemo !== true) throw new UserError(exposedDemo(host));
    const request = readDemo(flags);
    const demo = await serveDemo(
      {
        folder: demoFolder(env),
        host,
        port: readPort(env, 'DIALTILL_PORT') ?? 8080,
        servicePort: readPort(env, 'DIALTILL_SERVICE_PORT') ?? 8090,
        ...request,
      },
      createLog({ level: env.DIALTILL_LOG || 'warn', pretty }),
    );
    greet(deps, demo, request);
    return demo;
  }
  const config = loadConfig(file, env, aggregators);
  const log = createLog({ level: config.log.level, pretty });
  for (const { path, message } of findWeakSecrets(config)) {
    log.warn({ setting: path.join('.'), message }, 'a weak secret, which a live environment rejects');
  }
  const readConfig = () => loadConfig(file, deps.readEnv(), aggregators, deps.hiddenVariables());
  const pages = phoneOverrides(config, file, () => gateway.localUrl);
  const gateway: RunningGateway = await serveGateway(config, { log, readConfig, ...pages });
  // The signal also means that the terminal was closed, which ends the program.
  if (!pretty) deps.onHangup(() => reloadOrLog(gateway));
  await connectSandbox(deps, config, gateway.localUrl, log);
  return gateway;
}

/** Points the webhooks of a sandbox on this machine at the gateway. A sandbox that starts later does so itself. */
async function connectSandbox(deps: StartDeps, config: Config, gatewayUrl: string, log: Log): Promise<void> {
  const { service, database, merchants } = config;
  if (findSandboxPort(service) === undefined) return;
  const folder = deps.env.DIALTILL_DATA || (database.file === undefined ? './data' : dirname(database.file));
  const target = { folder, serviceUrl: service.url, gatewayUrl };
  try {
    const merchantIds = merchants.map(({ id }) => id);
    await pointWebhooks(deps, { ...target, merchantIds }, (from, to) =>
      log.info({ from, to }, 'a webhook of the sandbox was moved'),
    );
  } catch (fault) {
    if (!(fault instanceof UserError)) throw fault;
    log.info({ fault: fault.message }, 'the webhooks of the sandbox were not set');
  }
}

/** The gateway logs why it reloads nothing. @throws never: a signal has no caller. */
function reloadOrLog(gateway: RunningGateway): void {
  try {
    gateway.reload();
  } catch (fault) {
    if (!(fault instanceof UserError)) throw fault;
  }
}

function exposedDemo(host: string): string {
  return (
    `the demo would listen on ${host} (DIALTILL_HOST): everybody who reaches it could pay and approve there. ` +
    'For payers, start with --config <file>. To show the demo to others, add --expose-demo.'
  );
}

function isDemo({ config, demo = false, menu, attendant, lookups }: StartFlags): boolean {
  const hasDemoOption = menu !== undefined || attendant !== undefined || lookups !== undefined;
  if (hasDemoOption && config !== undefined) {
    throw new UsageError(
      '--menu, --attendant and --lookups are options of the demo: with --config, set them in the file',
    );
  }
  return demo || hasDemoOption;
}

type DemoRequest = Pick<Parameters<typeof serveDemo>[0], 'menu' | 'attendants' | 'lookupsUrl'> & {
  /** True when the menu has a lookup with a URL. */
  hasLookups: boolean;
};

function readDemo({ menu: file, attendant: attendants = [], lookups: lookupsUrl }: StartFlags): DemoRequest {
  const invalid = attendants.find((one) => parseMsisdn(one) === undefined);
  if (invalid !== undefined) {
    throw new UsageError(`--attendant: expected a mobile number such as 0201234567, found ${invalid}`);
  }
  if (file === undefined) return { attendants, lookupsUrl, hasLookups: false };
  const loaded = loadMenu(file);
  if (!loaded.ok) throw new UserError(formatFileErrors(loaded.errors));
  const screens = Object.values(loaded.menu.screens);
  const hasLookups = screens.some((screen) => isMerchantScreen(screen) && screen.url !== undefined);
  return { menu: file, attendants, lookupsUrl, hasLookups };
}

/** Returns the environment variables with which a command in another terminal finds this demo; usually none. */
function getSettings(env: Environment, { configFile }: Demo): string {
  const folder = env.DIALTILL_DATA ? `DIALTILL_DATA=${shellWord(dirname(configFile))} ` : '';
  return findUserConfig(undefined, env) ? `DIALTILL_CONFIG=${shellWord(configFile)} ${folder}` : folder;
}

/** Returns the names of the people of the demo: `ama, kofi or yaw`. */
function getNames({ accounts }: Demo): string {
  return new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(accounts.map(({ name }) => name));
}

/** The greeting shows this many service codes; `dialtill channels` lists the rest. */
const maxShownChannels = 3;

function greet({ stdout, env }: StartDeps, demo: Demo, { menu, hasLookups }: DemoRequest): void {
  const { paint } = stdout;
  const settings = getSettings(env, demo);
  const command = (words: string) => `    ${settings}npx dialtill ${words}`;
  const shown = demo.channels.slice(0, maxShownChannels);
  const codes = shown.map(({ serviceCode, aggregator }) =>
    command(`dial ${paint('bold', `'${serviceCode}'`)} --msisdn 0244123456   (through ${aggregator})`),
  );
  const more = demo.channels.length - shown.length;
  if (more > 0) codes.push(`${command('channels')}   (${more} more service codes)`);
  const lines = [
    `${paint('bold', 'dialtill')} demo is up: test keys and a simulated mobile-money rail; no real money moves.`,
    '',
    ...(demo.publicUrl === undefined
      ? []
      : [
          `  phone     ${paint('bold', `${demo.publicUrl}/phone`)}   (pay in a browser)`,
          `  console   ${paint('bold', `${demo.publicUrl}/console`)}   (sign in as ${getNames(demo)})`,
        ]),
    `  gateway   ${demo.url}`,
    `  service   ${demo.serviceUrl}   (its API: ${demo.serviceUrl}/docs)`,
    `  settings  ${demo.configFile}`,
    ...(menu === undefined ? [] : [`  menu      ${menu}   (to apply a change, restart the demo)`]),
    ...(hasLookups ? [`  lookups   ${demo.lookups.url}   (signed by ${demo.lookups.secret})`] : []),
    '',
    '  Or dial from a second terminal:',
    ...codes,
    '',
    '  Then read the ledger:',
    command('ledger find 0244123456'),
    command('ledger show <id>'),
    command('ledger verify'),
    '',
    ...(demo.publicUrl === undefined
      ? []
      : [
          `  Act as support staff: sign in with the password ${demoSignIn.password} and the code ${demoSignIn.code}:`,
          command('staff sign-in ama'),
          command('review list'),
          '',
        ]),
    '  Magic numbers that answer prompts automatically, and a clock that you can advance:',
    '    npx dialtill service numbers',
    command('service clock advance 10m'),
    '',
    '  Stop the demo with ctrl-c. The next start keeps its data.',
    '',
  ];
  stdout.write(`${lines.join('\n')}\n`);
}
