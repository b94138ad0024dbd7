import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Environment } from '../../gateway/config/secrets.ts';
import type { Clock } from '../../shared/clock.ts';
import { createLog } from '../../shared/log.ts';
import { shellWord } from '../terminal/shell.ts';
import type { Output, Paint } from '../terminal/terminal.ts';
import { wholeNumber } from './command-kit.ts';
import { adminTokenOf, dataFolder } from './find-service.ts';
import { type RunningSandbox, serveSandbox } from './serve-sandbox.ts';

export type StartServiceDeps = {
  env: Environment;
  clock: Clock;
  fetch: typeof fetch;
  stdout: Output;
  /** Resolves when the program is asked to end (SIGTERM, SIGINT). */
  ended(): Promise<string>;
};

type Options = { data?: string; host: string; port: number };

/** `dialtill service start`. */
export function registerServiceStart(service: Command, deps: StartServiceDeps & { paint: Paint }): void {
  const { env, clock, stdout } = deps;
  service
    .command('start')
    .description('run the collection service alone, as a sandbox: test keys, simulated phones, a test clock')
    .option('--data <dir>', 'folder of its database and admin token (default: DIALTILL_DATA, else ./data)')
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--port <port>', 'port to listen on; 0 for any that is free', wholeNumber(0, 65_535), 8090)
    .addHelpText(
      'after',
      `
The admin token is made at the first start and kept in sandbox.json in the data folder, where the other commands
find it. Set DIALTILL_ADMIN_TOKEN, or DIALTILL_ADMIN_TOKEN_FILE, to choose it. DIALTILL_LOG sets the level of the
log (warn).

Examples:
  $ dialtill service start
  $ dialtill service start --data /tmp/shop --port 8095`,
    )
    .action(async (options: Options) => {
      const ended = deps.ended();
      const log = createLog({ level: env.DIALTILL_LOG || 'warn', pretty: Boolean(stdout.isTTY) });
      const running = await serveSandbox(
        {
          folder: dataFolder(options.data, env),
          host: options.host,
          port: options.port,
          adminToken: adminTokenOf(env),
        },
        { clock, log },
      );
      const folder = options.data || env.DIALTILL_DATA;
      stdout.write(greeting(deps.paint, running, folder && resolve(folder)));
      await ended;
      await running.stop();
    });
}

/** `data` is the folder, where other commands do not look for it by themselves. */
function greeting(paint: Paint, running: RunningSandbox, data: string | undefined): string {
  const folder = data ? ` --data ${shellWord(data)}` : '';
  const command = (words: string) => `    npx dialtill service ${words}${folder}`;
  return [
    `${paint('bold', 'dialtill service')} is up, a sandbox: test keys, simulated phones, nobody's money.`,
    '',
    `  address   ${running.url}`,
    `  API       ${running.url}/docs   (OpenAPI: ${running.url}/openapi.json)`,
    `  database  ${running.databaseFile}`,
    `  settings  ${running.memoryFile}`,
    '',
    '  A merchant and its key, from a second terminal:',
    command("merchants create 'Abena Stores'"),
    command('merchants approve <id>'),
    command('keys create'),
    command('webhook set http://127.0.0.1:8080/hook'),
    '',
    '  Numbers whose payers answer by themselves, and time that passes when told to:',
    '    npx dialtill service numbers',
    command('clock advance 10m'),
    '',
    '  Stop with ctrl-c. What was made stays for the next start.',
    '',
    '',
  ].join('\n');
}
