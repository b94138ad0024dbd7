import { expect, onTestFinished } from 'vitest';
import { simulatedAggregators } from '../../src/aggregators/registry.ts';
import type { CollectionRow } from '../../src/gateway/collection/collection.ts';
import type { CallName } from '../../src/gateway/collection/fact.ts';
import { ledgerStore } from '../../src/gateway/ledger/ledger-store.ts';
import { verifyLedger } from '../../src/gateway/ledger/verify.ts';
import { ledgerAudits } from '../../src/gateway/ledger-audits.ts';
import { serveGateway } from '../../src/gateway/serve.ts';
import { loadCollectionRecord } from '../../src/gateway/support/collection-query.ts';
import { findCollections } from '../../src/gateway/support/find-query.ts';
import { createService } from '../../src/service/create.ts';
import { listen } from '../../src/shared/http/server.ts';
import { systemIds } from '../../src/shared/ids.ts';
import { operatorByPrefix, parseMsisdn } from '../../src/shared/msisdn.ts';
import { createPhone } from '../../src/simulator/phone.ts';
import { createPrompts, type Prompt } from '../../src/simulator/prompts.ts';
import type { Store } from '../../src/sqlite/store.ts';
import { readDatabase, registerMerchant, serviceFile } from '../../src/testing/programs.ts';
import { callName } from './call.ts';
import type { ChannelName } from './callback.ts';
import { settle, type TestClock, testClock } from './clock.ts';
import { temporaryFolder } from './folder.ts';
import { placeMigrated } from './migrated.ts';
import { watchResponses } from './openapi.ts';
import { createSilentLog } from './silent-log.ts';
import { testConfig, webhookSecret } from './till.ts';

/**
 * Creates a fetch over real sockets that counts the exchanges in flight. An exchange ends when its whole body has arrived,
 * so that no answer is read later than it arrived.
 */
function countedFetch() {
  let inFlight = 0;
  const counted: typeof fetch = async (input, init) => {
    inFlight++;
    try {
      const { body, status, headers } = await fetch(input, init).then(async (answer) => ({
        body: await answer.arrayBuffer(),
        status: answer.status,
        headers: answer.headers,
      }));
      return new Response(body.byteLength === 0 ? null : body, { status, headers });
    } finally {
      inFlight--;
    }
  };
  return { fetch: counted, inFlight: () => inFlight };
}

/** Advances the clock only while no exchange is in flight, so that no answer is late by accident. */
function networkedTime(clock: TestClock, inFlight: () => number) {
  /** Waits until no exchange is in flight and no work is pending. */
  async function untilIdle(): Promise<void> {
    do await settle();
    while (inFlight() > 0);
  }

  /** Advances to the next sleeper, at most to `end`. */
  async function step(end: number): Promise<void> {
    await untilIdle();
    const now = clock.now();
    await clock.advance(Math.max(0, Math.min(clock.nextWake() ?? end, end) - now));
    await untilIdle();
  }

  return {
    async advance(ms: number): Promise<void> {
      const end = clock.now() + ms;
      do await step(end);
      while (clock.now() < end);
    },
    /** Advances the clock until the condition holds. @throws Error after `ms` of the clock. */
    async until(condition: () => Promise<boolean>, ms: number): Promise<void> {
      const end = clock.now() + ms;
      await untilIdle();
      while (!(await condition())) {
        if (clock.now() >= end) throw new Error(`the condition did not hold within ${ms} ms`);
        await step(end);
      }
    },
    /** Waits for `work` and advances the clock meanwhile. */
    async passing<T>(work: Promise<T>): Promise<T> {
      let isDone = false;
      const done = work.finally(() => {
        isDone = true;
      });
      for (await untilIdle(); !isDone; await untilIdle()) await step(clock.now() + 1_000);
      return done;
    },
  };
}

export type HttpTillOptions = {
  /** Every webhook of the service is lost. */
  webhooksLost?: boolean;
};

/**
 * Creates a till with real HTTP between the two programs and to the phone, each program on a free port and its own SQLite
 * file, on a clock that the test advances.
 */
export async function createHttpTill({ webhooksLost = false }: HttpTillOptions = {}) {
  const folder = temporaryFolder();
  const clock = testClock();
  // Without jitter, a poll never meets an event in the same millisecond by chance.
  const ids = { ...systemIds(clock), random: () => 0.5 };
  const log = createSilentLog();
  const network = countedFetch();
  const time = networkedTime(clock, network.inFlight);
  const calls: CallName[] = [];
  const deliveries: (number | 'lost')[] = [];

  const databaseFile = serviceFile(folder);
  placeMigrated(databaseFile, 'service');
  const service = createService(
    { databaseFile, adminToken: 'admin-token-0123456789' },
    {
      clock,
      ids,
      log,
      async fetch(input, init) {
        if (webhooksLost) {
          deliveries.push('lost');
          throw new Error('the delivery was lost');
        }
        const answer = await network.fetch(input, init);
        deliveries.push(answer.status);
        return answer;
      },
    },
  );
  watchResponses(service.app);
  const server = await listen(service.app, { host: '127.0.0.1', port: 0 }, 'the port of this test');
  const { merchantId, key } = await registerMerchant(service, 'Demo Shop');

  const base = testConfig(folder, key);
  const config = {
    ...base,
    listen: { ...base.listen, port: 0 },
    service: { ...base.service, url: server.url },
  };
  placeMigrated(config.database.file, 'gateway');
  const gateway = await serveGateway(config, {
    clock,
    ids,
    log,
    fetch(url, init) {
      calls.push(callName(url));
      return network.fetch(url, init);
    },
  });
  const url = `${gateway.url}/webhooks/demo-shop`;
  await service.setWebhook({ merchantId, livemode: false, url, secret: webhookSecret });
  service.start();
  onTestFinished(async () => {
    await time.passing(Promise.all([gateway.stop(), server.close(0)]));
    await time.passing(service.stop());
  });

  const read = <T>(work: (store: Store) => Promise<T>) => readDatabase(config.database.file, work);
  const http = { fetch: network.fetch, clock };
  const prompts = createPrompts({ ...http, serviceUrl: server.url });
  const msisdnOf = (number: string) => {
    const msisdn = parseMsisdn(number);
    if (!msisdn) throw new Error(`not a phone number: ${number}`);
    return msisdn;
  };

  const till = {
    service,
    prompts,
    /** The calls of the gateway to the service. */
    calls,
    /** The result of each webhook of the service. */
    deliveries,
    ...time,
    /** Dials, types the inputs with time to read, and returns the text of the last screen. */
    async pay(number: string, channel: ChannelName, inputs: readonly string[]): Promise<string> {
      const settings = config.channels.find(({ id }) => id === channel);
      const simulated = simulatedAggregators[channel];
      if (!settings || !simulated) throw new Error(`no channel ${channel}`);
      const msisdn = msisdnOf(number);
      const { serviceCode, secret, settings: own } = settings;
      const callback = `${gateway.url}/ussd/${channel}/${secret}`;
      const operator = operatorByPrefix(msisdn);
      const dialled = { serviceCode, settings: own, url: callback };
      const phone = createPhone({ ...http, ...dialled, ids, aggregator: simulated, msisdn, operator });
      expect(await phone.dial(serviceCode)).toMatchObject({ ok: true });
      for (const input of inputs) {
        // A person reads before typing: longer than the window in which an equal input is a repeat.
        await time.advance(2_500);
        expect(await phone.send(input)).toMatchObject({ ok: true });
      }
      expect(phone.ended()).toBe(true);
      return phone.screen()?.text ?? '';
    },
    /** Waits for the only prompt of a number and returns it. */
    async prompted(number: string): Promise<Prompt> {
      const pending = async () => {
        const answer = await prompts.pending(msisdnOf(number));
        if (!answer.ok) throw new Error(`cannot read the prompts: ${answer.reason}`);
        return answer.prompts;
      };
      await time.until(async () => (await pending()).length > 0, 10_000);
      const waiting = await pending();
      expect(waiting).toHaveLength(1);
      return waiting[0] as Prompt;
    },
    async only(number: string): Promise<CollectionRow> {
      const found = await read((store) => findCollections(store, number));
      expect(found).toHaveLength(1);
      return found[0] as CollectionRow;
    },
    async untilStatus(number: string, status: string, ms: number): Promise<CollectionRow> {
      await time.until(async () => (await till.only(number)).status === status, ms);
      return till.only(number);
    },
    file: (id: string) =>
      read(async (store) => {
        const file = await loadCollectionRecord(store, id);
        if (!file) throw new Error(`no collection ${id}`);
        return file;
      }),
    verify: () => read((store) => verifyLedger(ledgerStore(store), ledgerAudits)),
  };
  return till;
}
