import { once } from 'node:events';
import { relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { errorMessage } from '../../src/shared/errors.ts';
import { startSeveral } from './start.ts';

const help = `Starts a PostgreSQL, a sandbox, and two gateways behind one address, to try what happens when one is lost.
With --cells, starts several groups of merchants instead. Each has a database, a sandbox and gateways of its own.

  npm run demo:several -- [--cells <number>] [--gateways <number>] [--folder <dir>] [--port <port>]

  --cells <number>     groups of merchants, 1 to 5 (1)
  --gateways <number>  gateways of each group, 1 to 4 (2; with several groups 1)
  --folder <dir>       a new or empty folder for the settings (./data/several)
  --port <port>        the one address (8080); the sandboxes have the ports from ten above it
  --help

The database is in memory where the machine has memory for files, and is deleted at the end.`;

const { values } = parseArgs({
  options: {
    cells: { type: 'string', default: '1' },
    gateways: { type: 'string' },
    folder: { type: 'string', default: 'data/several' },
    port: { type: 'string', default: '8080' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  process.stdout.write(`${help}\n`);
} else {
  const folder = resolve(values.folder);
  const port = readNumber('port', values.port, 65_000);
  const cells = readNumber('cells', values.cells, 5);
  const gateways = readNumber('gateways', values.gateways ?? (cells === 1 ? '2' : '1'), 4);
  const several = await startSeveral({
    ...{ folder, port, gateways },
    servicePorts: Array.from({ length: cells }, (_, at) => port + 10 + at),
    cli: [process.execPath, resolve('dist/cli/main.js')],
  }).catch((thrown: unknown) => fail(errorMessage(thrown)));
  process.stdout.write(`\nAt http://127.0.0.1:${port} answer, on one PostgreSQL:\n\n`);
  for (const cell of several.cells)
    process.stdout.write(
      `  ${relative('.', cell.folder)}  ${cell.code}  processes ${cell.pids.join(' and ')}\n`,
    );
  for (const { folder, code, pids } of several.cells.slice(0, 1))
    process.stdout.write(`
  In a second terminal, in one of these folders:
    cd ${relative('.', folder)}
    npx dialtill dial '${code}' --msisdn 0244123456
    kill -9 ${pids[0]}        (a gateway that ends is started again after ten seconds)
    npx dialtill dial '${code}' --msisdn 0244123457
    npx dialtill ledger verify

  Stop with ctrl-c.
`);
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  await several.stop();
}

function readNumber(name: string, text: string, max: number): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1 && number <= max) return number;
  return fail(`--${name} ${text}: give a number from 1 to ${max}`);
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
