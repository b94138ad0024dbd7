import { dirname } from 'node:path';
import type { Command } from 'commander';
import { aggregators } from '../../aggregators/registry.ts';
import { demoLookupsUrl } from '../../demo/demo-config.ts';
import { type Demo, serveDemo } from '../../demo/serve.ts';
import { demoFolder, findUserConfig } from '../../gateway/config/find.ts';
import { loadConfig } from '../../gateway/config/load.ts';
import type { Environment } from '../../gateway/config/secrets.ts';
import { type RunningServer, serveGateway } from '../../gateway/serve.ts';
import { loadMenu } from '../../menu/file/load.ts';
import { UserError } from '../../shared/errors.ts';
import { createLog } from '../../shared/log.ts';
import { parseMsisdn } from '../../shared/msisdn.ts';
import { formatFileErrors } from '../../shared/yaml.ts';
import { shellWord } from '../terminal/shell.ts';
import { type Output, paintFor } from '../terminal/terminal.ts';

export type StartDeps = {
  env: Environment;
  stdout: Output;
  /** Resolves when the program is asked to end (SIGTERM, SIGINT). */
  ended(): Promise<string>;
};

/** The options as the command line has them. */
type StartFlags = { config?: string; demo?: boolean; menu?: string; attendant?: string[]; lookups?: string };

/** `dialtill start`: the gateway of a configuration, or the demo where there is none. */
export function registerStart(program: Command, deps: StartDeps): void {
  program
    .command('start')
    .option(
      '--config <file>',
      'configuration file (default: DIALTILL_CONFIG, else dialtill.yaml, else the demo)',
    )
    .option('--demo', 'run the demo although there is a configuration')
    .option('--menu <file>', 'run the demo with this menu')
    .option('--attendant <number...>', "phones of those who work at the demo's merchant")
    .option('--lookups <url>', `where the demo's look-ups are answered (default: ${demoLookupsUrl})`)
    .addHelpText(
      'after',
      `
Environment of the demo: DIALTILL_PORT (8080), DIALTILL_SERVICE_PORT (8090), DIALTILL_HOST (127.0.0.1),
DIALTILL_DATA (./data). DIALTILL_LOG sets the level of its log (warn).

Examples:
  $ dialtill start
  $ dialtill start --menu menu.yaml --attendant 0201234567
  $ dialtill start --config dialtill.yaml`,
    )
    .action(async (flags: StartFlags) => {
      const ended = deps.ended();
      const running = await start(deps, flags);
      await ended;
      await running.stop();
    });
}

async function start(deps: StartDeps, flags: StartFlags): Promise<RunningServer> {
  const { env, stdout } = deps;
  const pretty = Boolean(stdout.isTTY);
  const file = isDemo(flags) ? undefined : findUserConfig(flags.config, env);
  if (file === undefined) {
    const asked = readDemo(flags);
    const demo = await serveDemo(
      {
        folder: demoFolder(env),
        host: env.DIALTILL_HOST || '127.0.0.1',
        port: readPort(env, 'DIALTILL_PORT', 8080),
        servicePort: readPort(env, 'DIALTILL_SERVICE_PORT', 8090),
        ...asked,
      },
      createLog({ level: env.DIALTILL_LOG || 'warn', pretty }),
    );
    greet(deps, demo, asked);
    return demo;
  }
  const config = loadConfig(file, env, aggregators);
  return serveGateway(config, { log: createLog({ level: config.log.level, pretty }) });
}

function isDemo({ config, demo = false, menu, attendant, lookups }: StartFlags): boolean {
  const isNamed = menu !== undefined || attendant !== undefined || lookups !== undefined;
  if (isNamed && config !== undefined) {
    throw new UserError(
      '--menu, --attendant and --lookups are for the demo: with --config the file says them',
    );
  }
  return demo || isNamed;
}

type AskedDemo = Pick<Parameters<typeof serveDemo>[0], 'menu' | 'attendants' | 'lookupsUrl'> & {
  /** The menu asks an address. */
  asks: boolean;
};

function readDemo({ menu: file, attendant: attendants = [], lookups: lookupsUrl }: StartFlags): AskedDemo {
  const wrong = attendants.find((one) => parseMsisdn(one) === undefined);
  if (wrong !== undefined) {
    throw new UserError(`--attendant takes mobile numbers such as 0201234567, found ${wrong}`);
  }
  if (file === undefined) return { attendants, lookupsUrl, asks: false };
  const loaded = loadMenu(file);
  if (!loaded.ok) throw new UserError(formatFileErrors(loaded.errors));
  const screens = Object.values(loaded.menu.screens);
  const asks = screens.some((screen) => screen.kind === 'lookup' && screen.url !== undefined);
  return { menu: file, attendants, lookupsUrl, asks };
}

function readPort(env: Environment, name: string, fallback: number): number {
  const text = env[name];
  if (!text) return fallback;
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new UserError(`${name} is ${text}: expected a port number from 0 to 65535`);
}

/**
 * What a command in another terminal needs to find this demo: nothing where it is in the usual place and no other
 * configuration is in the way.
 */
function settingsOf(env: Environment, { configFile }: Demo): string {
  const folder = env.DIALTILL_DATA ? `DIALTILL_DATA=${shellWord(dirname(configFile))} ` : '';
  return findUserConfig(undefined, env) ? `DIALTILL_CONFIG=${shellWord(configFile)} ${folder}` : folder;
}

/** Codes that the greeting names; the rest is a list of its own. */
const channelsShown = 3;

function greet({ stdout, env }: StartDeps, demo: Demo, { menu, asks }: AskedDemo): void {
  const paint = paintFor(stdout, Boolean(env.NO_COLOR));
  const settings = settingsOf(env, demo);
  const command = (words: string) => `    ${settings}npx dialtill ${words}`;
  const shown = demo.channels.slice(0, channelsShown);
  const codes = shown.map(({ serviceCode, aggregator }) =>
    command(`dial ${paint('bold', `'${serviceCode}'`)} --msisdn 0244123456   (through ${aggregator})`),
  );
  const more = demo.channels.length - shown.length;
  if (more > 0) codes.push(`${command('channels')}   (the codes of ${more} more aggregators)`);
  const lines = [
    `${paint('bold', 'dialtill')} demo is up: test keys, a simulated mobile-money rail, nobody's money.`,
    '',
    `  gateway   ${demo.url}`,
    `  service   ${demo.serviceUrl}   (its API: ${demo.serviceUrl}/docs)`,
    `  settings  ${demo.configFile}`,
    ...(menu === undefined ? [] : [`  menu      ${menu}   (read at the start: start again after a change)`]),
    ...(asks ? [`  look-ups  ${demo.lookups.url}   (signed by ${demo.lookups.secret})`] : []),
    '',
    '  Dial from a second terminal:',
    ...codes,
    '',
    '  Then look at the ledger:',
    command('ledger find 0244123456'),
    command('ledger show <id>'),
    command('ledger verify'),
    '',
    '  Numbers whose payers answer by themselves, and time that passes when told to:',
    '    npx dialtill service numbers',
    command('service clock advance 10m'),
    '',
    '  Stop with ctrl-c. What was collected stays for the next start.',
    '',
  ];
  stdout.write(`${lines.join('\n')}\n`);
}
