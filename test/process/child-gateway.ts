import { once } from 'node:events';
import { writeSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { createInterface } from 'node:readline';
import { aggregators } from '../../src/aggregators/registry.ts';
import type { Fetch } from '../../src/gateway/collection/calls/client.ts';
import { createTransport } from '../../src/gateway/collection/calls/transport.ts';
import { loadConfig } from '../../src/gateway/config/load.ts';
import { openGateway } from '../../src/gateway/create.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { listen } from '../../src/shared/http/server.ts';
import { createLog } from '../../src/shared/log.ts';
import { createSqliteStore } from '../../src/sqlite/sqlite.ts';
import type { Write } from '../../src/sqlite/store.ts';
import { callName } from '../kit/network-faults.ts';
import { fastClock } from './fast-clock.ts';
import type { Order } from './order.ts';

/*
 * A gateway in its own process: `child-gateway.ts <configuration>`. It prints `loaded` and waits for an order in
 * JSON on its input; then it opens the database, listens and prints its address.
 *
 * It passes a point before and after every commit and every call to the service. An order can end or suspend the
 * process at a point.
 */
const [file = ''] = process.argv.slice(2);

const lines = createInterface(process.stdin)[Symbol.asyncIterator]();
async function nextOrder(): Promise<Order | undefined> {
  const { value, done } = await lines.next();
  return done ? undefined : JSON.parse(value);
}

process.stdout.write('loaded\n');
let order = (await nextOrder()) ?? {};
process.stdout.write('starting\n');
const { since = Date.now(), speed = 1, clockOffsetMs = 0 } = order;
let passed = 0;

/** Resolves when the last response was sent. */
let answered: Promise<unknown> = Promise.resolve();

function noteAnswer(outgoing: ServerResponse): void {
  answered = once(outgoing, 'close').catch(() => {});
}

async function pass(point: string): Promise<void> {
  if (order.printPoints) writeSync(1, `point ${point}\n`);
  if (order.endAt !== point) return;
  passed += 1;
  if (passed < (order.nth ?? 1)) return;
  if (order.afterReply) await answered;
  delete order.endAt;
  writeSync(1, `ends ${point}\n`);
  process.kill(process.pid, order.signal ?? 'SIGKILL');
  // Stops this thread until the signal arrives.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
}

/** Names a batch by the kinds of its facts, or by its tables. */
function about(batch: readonly Write[]): string {
  const facts = batch.flatMap(({ sql, args }) => (sql.includes('into "fact"') ? [String(args[3])] : []));
  const tables = batch.map(({ sql }) => /^(?:insert into|update|delete from) "(\w+)"/.exec(sql)?.[1] ?? '');
  return [
    ...new Set(facts.length > 0 ? [...tables.filter((name) => name === 'turn'), ...facts] : tables),
  ].join('+');
}

const config = loadConfig(file, {}, aggregators);
const { timings, service } = config;
const transport = createTransport({
  connectTimeoutMs: timings.connectTimeoutMs,
  callTimeoutMs: timings.callTimeoutMs,
  callsInFlight: service.callsInFlight,
});
const fetchThroughPoints: Fetch = async (url, init) => {
  const name = callName(url);
  await pass(`before ${name}`);
  const answer = await transport.fetch(url, init);
  await pass(`after ${name}`);
  return answer;
};

const clock = fastClock(since, speed);
const gateway = await openGateway(config, {
  log: createLog({ level: config.log.level, pretty: false, destination: process.stderr }),
  clock: { ...clock, now: () => clock.now() + clockOffsetMs },
  networkClock: systemClock(),
  fetch: fetchThroughPoints,
  createStore(options) {
    const store = createSqliteStore(options);
    return {
      ...store,
      async apply(batch, signal) {
        const what = about(batch);
        await pass(`before the commit of ${what}`);
        const applied = await store.apply(batch, signal);
        await pass(`after the commit of ${what}`);
        return applied;
      },
    };
  },
  onBroken: () => process.exit(1),
});
const app: Parameters<typeof listen>[0] = {
  access: gateway.access,
  fetch(request, bindings) {
    noteAnswer(bindings.outgoing);
    return gateway.app.fetch(request, bindings);
  },
  answerDirectly(incoming, outgoing, deny) {
    const isAnswered = gateway.answerDirectly(incoming, outgoing, deny);
    if (isAnswered !== false) noteAnswer(outgoing);
    return isAnswered;
  },
};
const { url, close } = await listen(app, config.listen, 'listen.port');
if (order.work !== false) await gateway.start();
process.stdout.write(`${url}\n`);

process.once('SIGTERM', async () => {
  gateway.drain();
  await close(1_000);
  await gateway.stop();
  process.exit(0);
});

for (let next = await nextOrder(); next; next = await nextOrder()) {
  order = next;
  passed = 0;
}
