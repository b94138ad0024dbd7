import { once } from 'node:events';
import { relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { errorMessage } from '../../src/shared/errors.ts';
import { startSeveral } from './start.ts';

const help = `Starts a PostgreSQL, a sandbox, and two gateways behind one address, to try what happens when one is lost.

  npm run demo:several -- [--folder <dir>] [--port <port>]

  --folder <dir>  a new or empty folder for the settings (./data/several)
  --port <port>   the one address (8080); the sandbox has the port ten above it
  --help

The database is in memory where the machine has memory for files, and is deleted at the end.`;

const { values } = parseArgs({
  options: {
    folder: { type: 'string', default: 'data/several' },
    port: { type: 'string', default: '8080' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  process.stdout.write(`${help}\n`);
} else {
  const folder = resolve(values.folder);
  const port = Number(values.port);
  const several = await startSeveral({
    ...{ folder, port, servicePort: port + 10, gateways: 2 },
    cli: [process.execPath, resolve('dist/cli/main.js')],
  }).catch((thrown: unknown) => {
    process.stderr.write(`${errorMessage(thrown)}\n`);
    process.exit(1);
  });
  process.stdout.write(`
Two gateways on one PostgreSQL answer at http://127.0.0.1:${port}: the processes ${several.pids.join(' and ')}.

  In a second terminal:
    cd ${relative('.', folder)}
    npx dialtill dial '*713*5#' --msisdn 0244123456
    kill -9 ${several.pids[0]}        (a gateway that ends is started again after ten seconds)
    npx dialtill dial '*713*5#' --msisdn 0244123457
    npx dialtill ledger verify

  Stop with ctrl-c.
`);
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  await several.stop();
}
