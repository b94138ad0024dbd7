import { relative } from 'node:path';
import { parseArgs } from 'node:util';
import { readPort } from '../../src/gateway/config/addresses.ts';
import { errorMessage, UserError } from '../../src/shared/errors.ts';
import { createSeed } from './create-seed.ts';
import { type SeedFiles, type SeedPorts, seedPorts } from './files.ts';
import { staffNames, staffPassword, staffRoles } from './shops.ts';
import { collections } from './stage.ts';
import { createProgress } from './story.ts';

const help = `Writes a ledger with a week of payments in every status, to practise support on.

  npm run demo:seed -- [--folder <dir>] [--end <time>] [--port <port>] [--service-port <port>]

  --folder <dir>         a new or empty folder (./data/seed)
  --end <time>           the end of the week (now)
  --port <port>          the port of the gateway (DIALTILL_PORT, or ${seedPorts.gateway})
  --service-port <port>  the port of the service (DIALTILL_SERVICE_PORT, or ${seedPorts.service})
  --help

Examples:
  npm run demo:seed
  npm run demo:seed -- --folder /tmp/shop --end 2026-03-13T12:00Z

Exit code: 1 if the ledger could not be written, 2 for wrong options.`;

const minuteMs = 60_000;

/** Returns a full minute, so that the printed end gives the same ledger again. */
function readEnd(text: string | undefined): number {
  if (text === undefined) return Math.floor(Date.now() / minuteMs) * minuteMs;
  const at = /^\d{4}-\d\d-\d\dT\d\d:\d\dZ$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isFinite(at)) return at;
  throw new UserError(`--end: expected a time such as 2026-03-13T12:00Z, found ${text}`);
}

function portOf(option: string, text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port >= 1 && port <= 65_535) return port;
  throw new UserError(`${option}: expected a port number from 1 to 65535, found ${text}`);
}

/** Returns the ports of the options, else those of the environment. */
function readPorts(gateway: string | undefined, service: string | undefined): SeedPorts {
  const { env } = process;
  const ports = {
    gateway: portOf('--port', gateway ?? `${readPort(env, 'DIALTILL_PORT') ?? seedPorts.gateway}`),
    service: portOf(
      '--service-port',
      service ?? `${readPort(env, 'DIALTILL_SERVICE_PORT') ?? seedPorts.service}`,
    ),
  };
  if (ports.gateway !== ports.service) return ports;
  throw new UserError(
    `--service-port: expected another port than that of the gateway, found ${ports.service}`,
  );
}

function codeCommand(folder: string, name: string): string {
  return `npm run -s demo:code -- ${name}${folder === 'data/seed' ? '' : ` --folder ${folder}`}`;
}

function greeting(files: SeedFiles, end: number): string {
  const near = relative('.', files.folder);
  const folder = near.startsWith('..') ? files.folder : near;
  const config = `${folder}/dialtill.yaml`;
  return `${collections} payments of three merchants, with every status, up to ${new Date(end).toISOString().slice(0, 16)}Z (UTC).

  ledger    ${folder}/gateway.db
  settings  ${config}
  staff     ${staffNames.map((name) => `${name} (${staffRoles[name]})`).join(', ')}; password: ${staffPassword}

  Read the ledger:
    export DIALTILL_CONFIG=${config}
    npx dialtill ledger list --status review
    npx dialtill ledger find INV-20
    npx dialtill ledger show <id>

  Act as a person of support staff. In two other terminals, start the service and the gateway:
    npx dialtill service start --data ${folder} --port ${files.ports.service}
    npx dialtill start --config ${config}
  Then sign in. The first command prints the password and the code that an app would show:
    ${codeCommand(folder, 'ama')} | npx dialtill staff sign-in ama
    npx dialtill review list

  The console is at http://127.0.0.1:${files.ports.gateway}/console. A code is accepted once, and a new one comes every 30 seconds:
    ${codeCommand(folder, 'kofi')}

  docs/support.md has jobs to try. The keys are those of a sandbox: no money moves.
`;
}

function readOptions(): { folder: string; end: number; ports: SeedPorts } | undefined {
  try {
    const { values } = parseArgs({
      options: {
        folder: { type: 'string', default: './data/seed' },
        end: { type: 'string' },
        port: { type: 'string' },
        'service-port': { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) return undefined;
    const ports = readPorts(values.port, values['service-port']);
    return { folder: values.folder, end: readEnd(values.end), ports };
  } catch (fault) {
    process.stderr.write(`${errorMessage(fault)}\n`);
    process.exit(2);
  }
}

const options = readOptions();
if (options === undefined) process.stdout.write(`${help}\n`);
else {
  const { folder, end, ports } = options;
  const progress = createProgress(process.stderr);
  try {
    const files = await createSeed(folder, end, { ports, onProgress: progress.report });
    progress.end();
    process.stdout.write(greeting(files, end));
  } catch (fault) {
    progress.end();
    if (!(fault instanceof UserError)) throw fault;
    process.stderr.write(`${fault.message}\n`);
    process.exitCode = 1;
  }
}
