import { once } from 'node:events';
import { aggregators } from '../../src/aggregators.ts';
import { loadConfig } from '../../src/config/load.ts';
import { buildGateway } from '../../src/gateway.ts';
import type { Fetch } from '../../src/provider/client.ts';
import { listen } from '../../src/server.ts';
import { createLog } from '../../src/shared/log.ts';
import { callName } from '../support/call.ts';

/*
 * The gateway as a process of its own: `child-gateway.ts <configuration> [fault]`. Prints its address once it is up.
 *
 * A fault kills the process, at once and from within, around one call to the service: before the call leaves, or
 * when its answer has arrived and nobody has read it yet. `no worker` serves, and works on nothing.
 */
const [file = '', fault] = process.argv.slice(2);

/** Resolves when the answer to the last request has left: a payer has seen END before the process dies. */
let answered: Promise<unknown> = Promise.resolve();

async function dieWhen(point: string): Promise<void> {
  if (fault !== point) return;
  await answered;
  process.kill(process.pid, 'SIGKILL');
}

const faultyFetch: Fetch = async (url, init) => {
  const name = callName(url);
  await dieWhen(`before ${name}`);
  const answer = await fetch(url, init);
  await dieWhen(`after ${name}`);
  return answer;
};

const config = loadConfig(file, {}, aggregators);
// A process that was killed keeps its claims until the lease ends: shorter here than the file may say.
const timings = { ...config.timings, leaseSeconds: 3 };
const log = createLog({ level: 'info', pretty: false, destination: process.stderr });
const gateway = buildGateway({ ...config, timings }, { log, fetch: faultyFetch });
const app: Parameters<typeof listen>[0] = {
  fetch(request, bindings) {
    answered = once(bindings.outgoing, 'close');
    return gateway.app.fetch(request, bindings);
  },
};
const { url } = await listen(app, config.listen, 'listen.port');
if (fault !== 'no worker') gateway.start();
process.stdout.write(`${url}\n`);
