import { connect } from 'node:net';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, onTestFinished, test } from 'vitest';
import { scopes as allScopes } from '../../src/contract/service/admin.ts';
import { createService, type Service } from '../../src/service/create.ts';
import { advanceableClock } from '../../src/shared/clock.ts';
import { systemIds } from '../../src/shared/ids.ts';
import { createLog } from '../../src/shared/log.ts';
import { settle, testClock } from '../kit/clock.ts';
import { createDocumentRequests, type FuzzDocument, type FuzzRequest } from '../kit/document-request.ts';
import { temporaryFolder } from '../kit/folder.ts';
import { malformedMessages } from '../kit/hostile-values.ts';
import { serve } from '../kit/local-server.ts';
import {
  createResponseCheck,
  createValidators,
  type Document,
  errorsOf,
  escapePointer,
} from '../kit/openapi.ts';
import { createRandom } from '../kit/random.ts';
import { sized } from '../kit/size.ts';
import { adminToken, goods, json, payer, unlimited } from './support.ts';

/** `npm run fuzz` sends more requests, with a new seed each time. A failure prints its seed. */
const { FUZZ_REQUESTS, FUZZ_SEED } = process.env;
const requests = Number(FUZZ_REQUESTS ?? sized({ quick: 1_000, all: 20_000 }));
const seed = Number(FUZZ_SEED ?? (FUZZ_REQUESTS === undefined ? 20_260_308 : Date.now() % 1e9));
const timeoutMs = 300_000 + requests * 30;
const together = 20;
/** Fewer requests do not reach every operation with success; a whole run does. */
const reachesAll = requests >= 7_000;

/** 5xx errors that the service does not cause: the rail or the SMS carrier is down, slow or not attached. */
const elsewhere = ['rail_refused', 'rail_unknown', 'rail_not_attached', 'sms_unavailable'];

/** A service without a log, and a receiver that stores no webhooks: memory use stays constant. */
async function openTarget(sandbox: boolean) {
  const clock = testClock();
  const faults: string[] = [];
  const log = createLog({
    level: 'error',
    pretty: false,
    destination: {
      write(line) {
        if (!line.includes('a charge does not fit its session')) faults.push(line);
      },
    },
  });
  const receive = async () => new Response(null, { status: 204 });
  const service = createService(
    { databaseFile: join(temporaryFolder(), 'service.db'), adminToken, limits: unlimited },
    {
      clock,
      ids: systemIds(clock),
      fetch: receive,
      fetchPublic: receive,
      log,
      ...(sandbox ? { testClock: advanceableClock(clock) } : {}),
    },
  );
  service.start();
  const stop = async () => {
    const stopping = service.stop();
    await clock.advance(60_000);
    await stopping;
  };
  onTestFinished(stop);

  const { id: merchantId } = await service.createMerchant({ name: 'Abena Stores' });
  await service.approveOffline(merchantId);
  await service.setWebhook({ merchantId, livemode: false, url: 'http://shop.test/hook' });
  const test = await service.createKey({ merchantId, livemode: false, scopes: allScopes });
  const live = sandbox ? test : await service.createKey({ merchantId, livemode: true, scopes: allScopes });
  const served = await service.app.request('/openapi.json');
  const document = (await served.json()) as Document & FuzzDocument;
  return {
    service,
    clock,
    faults,
    document,
    credentials: { keys: [test.key, test.key, test.key, live.key], adminToken },
    keyIds: [test.id, live.id],
    merchantId,
  };
}

/** Random calls rarely create a prompt: this gives one payer a prompt, and lets another pay half of it. */
async function pushPrompts(app: Service['app'], key: string, once: string): Promise<void> {
  for (const msisdn of [payer, '233244123906']) {
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'idempotency-key': `${once}-${msisdn}`,
    };
    const body = JSON.stringify({ ...goods, msisdn });
    const created = await app.request('/v1/payments/sessions', { method: 'POST', headers, body });
    const { id } = await json(created);
    await app.request(`/v1/payments/sessions/${id}/initiate`, {
      method: 'POST',
      headers: { ...headers, 'idempotency-key': `${once}-${msisdn}-go` },
    });
  }
}

/** The latest identifiers of each kind from responses, for later requests, without those in `spared`. */
function makePool(spared: readonly string[]) {
  const latest = new Map<string, string[]>();
  return {
    learn(body: string): void {
      for (const [id, prefix = ''] of body.matchAll(/\b([a-z]{2,6})_[0-9a-z]{20,32}\b/g)) {
        const ids = latest.get(prefix) ?? [];
        if (spared.includes(id)) continue;
        latest.set(prefix, [...ids.filter((one) => one !== id).slice(-9), id]);
      }
    },
    fill: (text: string) =>
      text.replaceAll(/@([a-z]{2,6}):(\d+)/g, (_, prefix: string, n: string) => {
        const ids = latest.get(prefix) ?? [];
        return ids[Number(n) % ids.length] ?? `${prefix}_none`;
      }),
  };
}

/** Whether the OpenAPI document allows a body that the service accepted. */
function makeBodyCheck(document: Document & FuzzDocument) {
  const validatorOf = createValidators(document);
  const pointers = new Map(
    Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item)
        .filter(([, { requestBody }]) => requestBody)
        .map(([method, { operationId }]) => [operationId, `/paths/${escapePointer(path)}/${method}`]),
    ),
  );
  return (operationId: string, body: string): string[] => {
    const pointer = pointers.get(operationId);
    const validate = pointer && validatorOf(`${pointer}/requestBody/content/application~1json/schema`);
    // A byte order mark before the body is ignored.
    const plain = body.replace(/^\ufeff/, '');
    if (!validate || validate(plain === '' ? {} : JSON.parse(plain))) return [];
    return [`${operationId} took a body that the document does not allow: ${errorsOf(validate)} in ${body}`];
  };
}

function heapBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}

/** The further batches for operations that have not succeeded yet. */
const maxDirectedBatches = 200;

/**
 * Sends requests in parallel batches, and advances the clock until every request has a response. Which identifiers
 * the random requests meet depends on the order of the answers, so further batches are directed at the `expected`
 * operations that have not succeeded.
 */
async function fuzz(requests: number, sandbox: boolean, isExpected: (operationId: string) => boolean) {
  const { service, clock, faults, document, credentials, keyIds, merchantId } = await openTarget(sandbox);
  const check = createResponseCheck(document);
  const checkBody = makeBodyCheck(document);
  const pool = makePool(keyIds);
  const succeeded = new Set<string>();
  const statuses = new Map<number, number>();
  let sent = 0;
  let heapAfterWarmUp = 0;

  async function send({ operationId, method, path, headers, body }: FuzzRequest): Promise<string[]> {
    const text = typeof body === 'string' ? pool.fill(body) : body;
    const request = new Request(`http://service.test${pool.fill(path)}`, {
      method,
      headers,
      ...(text === undefined ? {} : { body: text }),
    });
    const response = await service.app.fetch(request);
    const { status } = response;
    const answered = { status, headers: response.headers, body: await response.text() };
    sent++;
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    const wrong = check(request, answered);
    if (status >= 500 && !elsewhere.includes(JSON.parse(answered.body).error?.code)) {
      wrong.push(`${operationId} answered ${status}: ${answered.body}`);
    }
    if (status < 300) {
      if (request.method !== 'HEAD') pool.learn(answered.body.slice(0, 20_000));
      succeeded.add(operationId);
      const replayed = response.headers.has('idempotent-replayed');
      if (typeof text === 'string' && !replayed) wrong.push(...checkBody(operationId, text));
    }
    const asked = `${method} ${pool.fill(path)} ${JSON.stringify(headers)} ${text ?? ''}`.slice(0, 1_000);
    return wrong.map((fault) => `${fault}\n  at ${asked}`);
  }

  /** Throws if a request has no response after one minute of test time and ten seconds of real time. */
  async function sendAll(batch: readonly FuzzRequest[]): Promise<string[]> {
    let over = false;
    const all = Promise.all(batch.map(send)).finally(() => {
      over = true;
    });
    all.catch(() => undefined);
    const until = performance.now() + 10_000;
    for (let seconds = 0; !over; seconds++) {
      await settle();
      if (!over && seconds < 60) await clock.advance(1_000);
      if (!over && seconds >= 60 && performance.now() > until) throw new Error('a request has no answer');
    }
    return (await all).flat();
  }

  const names = Object.values(document.paths).flatMap((item) =>
    Object.values(item).map(({ operationId }) => operationId),
  );
  const missing = () => names.filter((name) => isExpected(name) && !succeeded.has(name));
  const random = createRandom(`service ${seed}`);
  const every = createDocumentRequests(document, credentials, random);
  const maxBatches = Math.ceil(requests / together) + maxDirectedBatches;
  for (
    let batch = 0;
    sent < requests || (reachesAll && missing().length > 0 && batch < maxBatches);
    batch++
  ) {
    const isDirected = sent >= requests;
    const directed = isDirected
      ? createDocumentRequests(partOf(document, missing()), credentials, random)
      : every;
    const requested = Array.from({ length: together }, (_, n) => (n % 2 === 0 ? directed : every)());
    // Some requests withdraw the approval, which would make every offline call fail.
    await service.approveOffline(merchantId);
    if (batch % 10 === 0 || isDirected)
      await pushPrompts(service.app, credentials.keys[0] ?? '', `batch-${batch}`);
    // An OTP request is open only for minutes, so random requests rarely find one.
    pool.learn(JSON.stringify(service.carrier.messages(payer)));
    pool.learn(JSON.stringify(await service.phone.pending(payer)));
    const wrong = await sendAll(requested);
    expect([...wrong, ...faults], `FUZZ_SEED=${seed}, batch ${batch}`).toEqual([]);
    await clock.advance(5_000);
    if (heapAfterWarmUp === 0 && sent >= requests / 4) heapAfterWarmUp = heapBytes();
  }

  const grownMiB = (heapBytes() - heapAfterWarmUp) / 2 ** 20;
  console.log(
    `${sent} requests, seed ${seed}, ${JSON.stringify(Object.fromEntries(statuses))}, ` +
      `${grownMiB.toFixed(1)} MiB of heap more than after the first quarter`,
  );
  expect(grownMiB).toBeLessThan(16);
  return { never: names.filter((name) => !succeeded.has(name)) };
}

/** The document with these operations only. */
function partOf<D extends FuzzDocument>(document: D, names: readonly string[]): D {
  const paths = Object.entries(document.paths)
    .map(([path, item]) => [
      path,
      Object.fromEntries(Object.entries(item).filter(([, { operationId }]) => names.includes(operationId))),
    ])
    .filter(([, item = {}]) => Object.keys(item).length > 0);
  return { ...document, paths: Object.fromEntries(paths) };
}

/** Operations of the simulated phone. */
const phoneOperations = ['listPrompts', 'approvePrompt', 'declinePrompt', 'listMessages'];

/** Operations that need a series of others first, which random requests do not happen to make. */
const laterOperations = ['settleRefund'];

/** Operations of a sandbox. */
const clockOperations = ['getClock', 'advanceClock'];

test(
  'random requests cause no failure, no hang, no undocumented response, and no growth of memory',
  async () => {
    // Beside live keys there is no simulated phone.
    const notHere = [...phoneOperations, ...clockOperations];
    const { never } = await fuzz(
      requests,
      false,
      (name) => !notHere.includes(name) && !laterOperations.includes(name),
    );
    const others = never.filter((name) => !laterOperations.includes(name));
    if (reachesAll) expect(new Set(others)).toEqual(new Set(notHere));
    else expect(others).toEqual(expect.arrayContaining(notHere));
  },
  timeoutMs,
);

test(
  'the same holds in a sandbox whose clock the requests advance',
  async () => {
    const here = [...phoneOperations, ...clockOperations];
    const { never } = await fuzz(Math.ceil(requests / 3), true, (name) => here.includes(name));
    if (reachesAll) for (const name of here) expect(never).not.toContain(name);
  },
  timeoutMs,
);

test('malformed HTTP gets a 4xx or a closed connection, and the next call succeeds', async () => {
  const { service, faults } = await openTarget(false);
  const server = await serve(service.served);
  for (const bytes of malformedMessages) {
    const answer = await exchange(server.port, bytes);
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);
    expect(status, `${JSON.stringify(bytes).slice(0, 200)} got ${answer.slice(0, 300)}`).toBeLessThan(500);
    expect(answer).not.toMatch(/\bat .*\.[jt]s:\d+/);
    expect(faults).toEqual([]);
  }
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
});

/** Sends bytes, and reads the response until the peer closes the connection or pauses. */
function exchange(port: number, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    let got = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(Buffer.from(bytes, 'latin1')));
    socket.setTimeout(150, () => socket.destroy());
    socket.on('data', (chunk) => {
      got += chunk.toString('latin1');
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(got));
  });
}
