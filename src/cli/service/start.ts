import { dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import { z } from 'zod';
import { findSandboxPort, getGatewayUrl, readPort, withAddresses } from '../../gateway/config/addresses.ts';
import { demoFolder, findUserConfig, readFilled } from '../../gateway/config/find.ts';
import { findListen, withLastAddress } from '../../gateway/config/listen.ts';
import type { Environment } from '../../gateway/config/secrets.ts';
import type { Clock } from '../../shared/clock.ts';
import { UserError } from '../../shared/errors.ts';
import { type Output, type Paint, shellWord } from '../terminal/output.ts';
import { pointWebhooks } from './admin-client.ts';
import { wholeNumber } from './arguments.ts';
import { dataFolder, readAdminToken } from './find-service.ts';
import type { FileSystemType, LiveStart } from './live/start-live.ts';
import type { RunningSandbox } from './sandbox.ts';

export type StartServiceDeps = {
  env: Environment;
  clock: Clock;
  fetch: typeof fetch;
  stdout: Output;
  /** Resolves when the program is asked to end (SIGTERM, SIGINT). */
  ended(): Promise<string>;
  /** Replaces the query of a folder's file system, for tests in memory. */
  fileSystemType?: FileSystemType;
};

type Options = Omit<LiveStart, 'port'> & { port?: number; live?: true };

const defaultPort = 8090;

export function registerServiceStart(service: Command, deps: StartServiceDeps): void {
  service
    .command('start')
    .description('run the collection service: a sandbox with test keys, or live with a real rail')
    .option('--data <dir>', 'folder of its database and admin token (default: DIALTILL_DATA, else ./data)')
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option(
      '--port <port>',
      `port to listen on; 0 selects a free port (default: DIALTILL_SERVICE_PORT, else that of service.url in dialtill.yaml, else ${defaultPort})`,
      wholeNumber(0, 65_535),
    )
    .option('--live', 'accept live keys; needs --rail, --public-url, --data and an admin token')
    .option('--rail <file>', 'module that sends the prompts of live sessions')
    .option('--public-url <url>', 'https address at which merchants reach the live service, behind a proxy')
    .option('--trusted-proxy <address...>', 'addresses of that proxy, which states the clients')
    .addHelpText(
      'after',
      `
Without --live, the service is a sandbox: test keys, simulated phones and a test clock.
The first start creates an admin token and stores it in sandbox.json in the data folder, where the other commands find
it. In the folder of a project, the sandbox listens where dialtill.yaml expects it, and sends its webhooks to the project's
gateway. Set DIALTILL_ADMIN_TOKEN, or DIALTILL_ADMIN_TOKEN_FILE, to choose the token. DIALTILL_LOG sets the log level
(default: warn).

Examples:
  $ dialtill service start
  $ dialtill service start --data /tmp/shop --port 8095
  $ DIALTILL_ADMIN_TOKEN_FILE=/run/secrets/admin dialtill service start --live --rail ./rail.mjs \\
      --data /var/lib/dialtill-service --public-url https://pay.example.com --trusted-proxy 127.0.0.1`,
    )
    .action((options: Options) => (options.live ? runLive(options, deps) : runSandbox(options, deps)));
}

async function runLive(options: Options, deps: StartServiceDeps): Promise<void> {
  const { env, stdout } = deps;
  const { startLive } = await import('./live/start-live.ts');
  const { createLog } = await import('../../shared/log.ts');
  const ended = deps.ended();
  const log = createLog({ level: env.DIALTILL_LOG || 'info', pretty: Boolean(stdout.isTTY) });
  const port = options.port ?? readPort(env, 'DIALTILL_SERVICE_PORT') ?? defaultPort;
  const running = await startLive({ ...options, port }, { ...deps, log });
  stdout.write(
    [
      `${stdout.paint('bold', 'dialtill service')} is running in live mode: live keys move real money.`,
      '',
      `  address   ${running.url}, for ${options.publicUrl}`,
      `  database  ${running.databaseFile}`,
      '',
      '',
    ].join('\n'),
  );
  await ended;
  await running.stop();
}

async function runSandbox(options: Options, deps: StartServiceDeps): Promise<void> {
  if (options.rail || options.publicUrl || options.trustedProxy) {
    throw new UserError('--rail, --public-url and --trusted-proxy are options of a live start: add --live.');
  }
  const { env, clock, stdout } = deps;
  // Loaded on demand: the other commands need neither the service nor the log.
  const { serveSandbox } = await import('./sandbox.ts');
  const { createLog } = await import('../../shared/log.ts');
  const ended = deps.ended();
  const log = createLog({ level: env.DIALTILL_LOG || 'warn', pretty: Boolean(stdout.isTTY) });
  const folder = dataFolder(options.data, env);
  const found = options.data === undefined ? findProject(env) : undefined;
  // Another folder is another sandbox than that of the project.
  const project = found?.folders.includes(resolve(folder)) ? found : undefined;
  const running = await serveSandbox(
    {
      folder,
      host: options.host,
      port: options.port ?? project?.servicePort ?? readPort(env, 'DIALTILL_SERVICE_PORT') ?? defaultPort,
      adminToken: readAdminToken(env),
    },
    { clock, log },
  );
  try {
    if (project)
      await pointWebhooks(deps, { ...project, folder, serviceUrl: running.url }, (from, to) =>
        stdout.write(`A webhook was moved: ${from} → ${to}\n`),
      );
    const named = options.data || env.DIALTILL_DATA;
    stdout.write(greeting(stdout.paint, running, { folder: named && resolve(named), project }));
    await ended;
  } finally {
    await running.stop();
  }
}

/** `folder` is the data folder, if it is not the default one in which other commands look. */
function greeting(
  paint: Paint,
  running: RunningSandbox,
  { folder, project }: { folder: string | undefined; project: Project | undefined },
): string {
  const option = folder ? ` --data ${shellWord(folder)}` : '';
  const command = (line: string) => `    npx dialtill service ${line}${option}`;
  const port = Number(new URL(running.url).port);
  return [
    `${paint('bold', 'dialtill service')} is running as a sandbox: test keys, simulated phones, no real money.`,
    '',
    `  address   ${running.url}`,
    `  API       ${running.url}/docs   (OpenAPI: ${running.url}/openapi.json)`,
    `  database  ${running.databaseFile}`,
    `  settings  ${running.settingsFile}`,
    '',
    ...(project ? forProject(project, port) : newMerchant(command)),
    '',
    '  Magic numbers, whose prompts end without a person, and the test clock:',
    '    npx dialtill service numbers',
    command('clock advance 10m'),
    '',
    '  Stop with ctrl-c. The next start continues with the same data.',
    '',
    '',
  ].join('\n');
}

/** The project's merchant exists, and its webhooks go to the gateway. */
function forProject({ configFile, servicePort, gatewayUrl }: Project, port: number): string[] {
  const option = port === servicePort ? '' : ` --service-port ${port}`;
  return [
    `  Webhooks go to the gateway of ${configFile}, at ${gatewayUrl}. Start it in a second terminal:`,
    `    npx dialtill start${option}`,
  ];
}

function newMerchant(command: (line: string) => string): string[] {
  return [
    '  Create a merchant and its key, in a second terminal:',
    command("merchants create 'Abena Stores'"),
    command('merchants approve <id>'),
    command('keys create'),
    command('webhook set http://127.0.0.1:8080/hook'),
  ];
}

/** A project whose gateway uses a sandbox on this machine. */
type Project = {
  configFile: string;
  /** The port at which the gateway expects the sandbox. */
  servicePort: number;
  gatewayUrl: string;
  merchantIds: readonly string[];
  /** Where its sandbox can be: beside its ledger, or the default folder. */
  folders: readonly string[];
};

const draft = z.object({
  service: z.object({ url: z.string(), simulator: z.boolean() }),
  database: z.object({ file: z.string().optional() }).optional(),
  merchants: z.array(z.object({ id: z.string() })),
});

/**
 * Finds the project of the working directory, or of `DIALTILL_CONFIG`. Reads no secrets.
 *
 * @returns `undefined` without a configuration, or when its service is not a sandbox on this machine.
 * @throws UserError when the file cannot be read, or when a variable is no port.
 */
function findProject(env: Environment): Project | undefined {
  const configFile = findUserConfig(undefined, env);
  if (configFile === undefined) return undefined;
  const { data } = draft.safeParse(withAddresses(readFilled(configFile, env).value, env));
  const servicePort = data && findSandboxPort(data.service);
  if (data === undefined || servicePort === undefined) return undefined;
  const file = data.database?.file;
  return {
    configFile,
    servicePort,
    gatewayUrl: getGatewayUrl({ listen: findListen(configFile, withLastAddress(configFile, env)) }),
    folders: [
      file === undefined ? [] : dirname(resolve(dirname(configFile), file)),
      resolve(demoFolder({})),
    ].flat(),
    merchantIds: data.merchants.map(({ id }) => id),
  };
}
