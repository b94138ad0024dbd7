import { once } from 'node:events';
import { expect, test } from 'vitest';
import { configSchema } from '../../src/gateway/config/schema.ts';
import { heartbeatJob } from '../../src/gateway/upkeep/heartbeat-job.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { startServer } from '../kit/local-server.ts';
import { createKeptLog } from '../kit/log.ts';
import { createTill } from '../kit/till.ts';

/** A monitor on a real socket. It answers with `status`. */
async function startMonitor() {
  const monitor = { status: 200, paths: [] as string[] };
  const { server, port } = await startServer((response, { method, path }) => {
    monitor.paths.push(`${method} ${path}`);
    response.writeHead(monitor.status).end();
  });
  return { monitor, server, url: `http://127.0.0.1:${port}/ping/5d2f-secret` };
}

test('a gateway that is ready sends a heartbeat at each interval', async () => {
  const { monitor, server, url } = await startMonitor();
  const till = await createTill({
    configure(config) {
      config.heartbeat = { url, everyMs: 60_000 };
    },
  });
  for (const [count, afterMs] of [
    [1, 2_000],
    [2, 60_000],
  ] as const) {
    const received = once(server, 'request');
    await till.clock.advance(afterMs);
    await received;
    expect(monitor.paths).toEqual(Array(count).fill('GET /ping/5d2f-secret'));
  }
  expect(till.logged()).not.toContain('5d2f-secret');
});

test('no heartbeat while the gateway is not ready; a missed one is logged once, without its path', async () => {
  const { monitor, url } = await startMonitor();
  const { log, lines, logged } = createKeptLog('info');
  let ready = false;
  const isReady = async () => ready;
  const job = heartbeatJob({ fetch, networkClock: systemClock(), log, isReady }, { url, everyMs: 60_000 });
  await job.run(0);
  expect(monitor.paths).toEqual([]);
  ready = true;
  monitor.status = 500;
  await job.run(0);
  await job.run(0);
  monitor.status = 200;
  await job.run(0);
  expect(monitor.paths).toHaveLength(3);
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual([
    'the monitor got no heartbeat',
    'the monitor gets heartbeats again',
  ]);
  expect(logged()).not.toContain('secret');
});

test('the interval is at least ten seconds', () => {
  const read = (heartbeat: unknown) => configSchema.shape.heartbeat.safeParse(heartbeat);
  expect(read({ url: 'https://monitor.example/x' }).data).toEqual({
    url: 'https://monitor.example/x',
    everyMs: 60_000,
  });
  expect(read({ url: 'https://monitor.example/x', everySeconds: 1 }).success).toBe(false);
});
