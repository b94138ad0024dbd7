import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { aggregatorNames, simulatedAggregators } from '../../src/aggregators/registry.ts';
import { collectionStore } from '../../src/gateway/collection/store/collection-store.ts';
import { answerRequest } from '../../src/gateway/dialogue/answer-request.ts';
import { createChannel } from '../../src/gateway/dialogue/channel.ts';
import { diallerStore } from '../../src/gateway/dialogue/dialler-store.ts';
import { turnStore } from '../../src/gateway/dialogue/turn-store.ts';
import type { DialogueDeps } from '../../src/gateway/dialogue/types.ts';
import { createMetrics } from '../../src/gateway/metrics/metrics.ts';
import { systemIds } from '../../src/shared/ids.ts';
import { type Msisdn, perOperator } from '../../src/shared/msisdn.ts';
import { createSqliteStore } from '../../src/sqlite/sqlite.ts';
import type { Store } from '../../src/sqlite/store.ts';
import { noLimits } from '../gateway/collection/support.ts';
import { type TestClock, testClock } from '../kit/clock.ts';
import { aggregatorOf, createDialect, demoChannelOf } from '../kit/dialects.ts';
import { engine } from '../kit/engine.ts';
import { temporaryFolder } from '../kit/folder.ts';
import { createRandom, type Random } from '../kit/random.ts';
import { createServerLedger } from '../kit/server-ledger.ts';
import { schoolMenu } from '../kit/shop-menu.ts';
import { sized } from '../kit/size.ts';
import { testConfig } from '../kit/till.ts';

/** Channels whose requests have no mark: each input arrives alone. */
const channels = aggregatorNames.filter((name) => {
  const reading = readingOf(name, ['1']);
  return reading?.kind === 'request' && reading.request.entry.kind === 'typed' && !reading.request.mark;
});
const dialogues = sized({ quick: 4, all: 20, nightly: 60 });

function readingOf(name: string, typed: readonly string[]) {
  const { serviceCode, settings } = demoChannelOf(name);
  const msisdn = '233244000000' as Msisdn;
  const dial = {
    session: 's-1',
    msisdn,
    operator: 'mtn' as const,
    serviceCode,
    dialled: serviceCode,
    settings,
  };
  const { to, body } = simulatedAggregators[name]?.request(dial, typed) ?? {};
  if (to === undefined || body === undefined) return undefined;
  const query = Object.fromEntries(new URLSearchParams(to));
  return createDialect(name, serviceCode).decode({ body, path: '', query });
}

/** One step of a dialogue, with its request and the copies of it. `afterMs`: since the request before. */
type Step = { input: string | undefined; requests: readonly { afterMs: number; gateway: number }[] };

/** Steps at any pace from 20 ms to 3 s. Every copy arrives within the repeat window, some at the same time as the request. */
function stepsOf(random: Random): readonly Step[] {
  const amount = `${random.int(2, 901)}.50`;
  const inputs = random.pick([
    ['1', '1234', '1', 'Yes'],
    ['1', '1234', '2', '5678', '1', 'Yes'],
    ['1', '12', '1234', '1', 'Yes'],
    ['2', amount, 'Yes'],
    ['2', 'much', amount, 'Yes'],
  ]);
  return [undefined, ...inputs].map((input) => ({
    input,
    requests: Array.from({ length: random.int(1, 3) }, (_, index) => ({
      afterMs: random.int(20, random.pick([39, 269, index === 0 ? 2_999 : 919])),
      gateway: random.int(0, 1),
    })),
  }));
}

/** Opens one file, or two stores on one database, with a clock that waits for their statements. */
async function openStores(): Promise<{ clock: TestClock; stores: readonly Store[] }> {
  const server = engine === 'postgres' ? await createServerLedger() : undefined;
  const clock = testClock(undefined, server?.busy);
  const file = join(temporaryFolder(), 'gateway.db');
  const stores = server
    ? [await server.open(), await server.open()]
    : [createSqliteStore({ file, schema: 'gateway', clock })];
  onTestFinished(async () => {
    for (const store of stores) await store.close();
  });
  return { clock, stores };
}

/**
 * Opens gateways on one ledger.
 *
 * @param knowOthers they know that there are several.
 * @param wait until the merchant's system or the service answers.
 * @returns `asked`: the questions to the merchant's system and to the service.
 */
async function openGateways(count: 1 | 2, knowOthers: boolean, wait: (clock: TestClock) => Promise<void>) {
  const { clock, stores } = await openStores();
  const {
    timings,
    limits: _,
    service,
    approvals,
  } = testConfig(temporaryFolder(), 'sk_test_0123456789abcdef');
  const asked: string[] = [];
  const gateways = Array.from({ length: count }, (_, index): DialogueDeps => {
    const store = stores[index % stores.length] as Store;
    return {
      turns: turnStore(store, () => knowOthers),
      diallers: diallerStore(store),
      collections: collectionStore(store),
      quotes: {
        async ask({ payer, goodsMinor }) {
          await wait(clock);
          asked.push(`quote ${payer} ${goodsMinor}`);
          return undefined;
        },
        find: async () => undefined,
        isRejected: () => false,
      },
      health: { isRefusing: () => false, isWarning: () => false, tryProbe: () => false },
      async lookup(_merchant, { request }) {
        await wait(clock);
        asked.push(`lookup ${JSON.stringify(request)}`);
        return { kind: 'found', fields: { student: 'Ama', due: 12_000 } };
      },
      metrics: createMetrics(),
      clock,
      ids: systemIds(clock),
      settings: {
        ...{ ...timings, quoteTimeoutMs: 1_000, limits: noLimits },
        ...{ networks: service.networks, approvals, home: `gw_${index}` },
      },
    };
  });
  const opened = () =>
    (stores[0] as Store).query('SELECT dialler, goods_minor FROM collection ORDER BY dialler', [], 'rows');
  return { clock, gateways, asked, opened };
}

/** Advances the clock until one of the answers is there. */
async function firstOf(clock: TestClock, answers: readonly Promise<string>[]): Promise<string> {
  let first: string | undefined;
  for (const answer of answers)
    answer.then(
      (text) => {
        first ??= text;
      },
      () => {},
    );
  for (let rounds = 0; first === undefined && rounds < 200; rounds++) await clock.advance(20);
  return first ?? Promise.race(answers);
}

type Way = { knowOthers?: boolean; atOnce?: boolean; isSlow?: boolean };

/**
 * Plays dialogues one after the other.
 *
 * @param atOnce the copies of a request arrive together with it.
 * @param isSlow other systems answer in up to 1.3 s. The payer types the next input as soon as a gateway has answered.
 * @returns every screen, what was asked, and the collections.
 */
async function play(
  name: string,
  count: 1 | 2,
  { knowOthers = count > 1, atOnce = false, isSlow = false }: Way = {},
) {
  const pace = createRandom('pace');
  const { clock, gateways, asked, opened } = await openGateways(count, knowOthers, async ({ sleep }) => {
    if (isSlow) await sleep(pace.pick([0, 40, 400, 1_300]));
  });
  const settings = demoChannelOf(name);
  const simulated = simulatedAggregators[name];
  if (!simulated) throw new Error(`no simulated aggregator ${name}`);
  const channel = createChannel(
    aggregatorOf(name),
    { ...settings, secret: 'secret-0123456789abcdef' },
    {
      id: 'demo-shop',
      name: 'Demo Shop',
      livemode: 0,
      menu: schoolMenu,
      attendants: new Set(),
      timeZone: 'Africa/Accra',
    },
    perOperator(() => 0),
  );
  const random = createRandom('20260306');
  const screens: string[] = [];
  for (let number = 0; number < dialogues; number++) {
    const msisdn = `23324${4_000_000 + number}` as Msisdn;
    const { serviceCode } = settings;
    const dial = {
      ...{ session: `s-${number}`, msisdn, operator: 'mtn' as const, serviceCode, dialled: serviceCode },
      settings: settings.settings,
    };
    const typed: string[] = [];
    let shown = '';
    const sent: { input: string; answers: readonly Promise<string>[] }[] = [];
    const send = async (gateway: number) => {
      const { to, body } = simulated.request(dial, typed);
      const query = Object.fromEntries(new URLSearchParams(to));
      const reading = channel.decode({ body, path: '', query });
      if (reading.kind !== 'request') throw new Error(`unreadable: ${to} ${body}`);
      const deps = gateways[gateway % count] as DialogueDeps;
      const { reply } = await answerRequest(deps, channel, reading.request, { onCollection() {} });
      return `${reply.kind} ${reply.text}`.replace(/Ref [\d ]+/, 'Ref');
    };
    for (const { input, requests } of stepsOf(random)) {
      if (input !== undefined) typed.push(input === 'Yes' ? (/(\d)\. Yes/.exec(shown)?.[1] ?? '') : input);
      const answers: Promise<string>[] = [];
      for (const { afterMs, gateway } of requests) {
        if (isSlow) await clock.advance(afterMs);
        else if (!atOnce || answers.length === 0) await clock.skip(afterMs);
        answers.push(send(gateway));
        if (!atOnce && !isSlow) await answers.at(-1);
      }
      shown = await firstOf(clock, answers);
      sent.push({ input: typed.join('*'), answers });
      screens.push(shown);
    }
    expect(shown).toMatch(/^end Approve/);
    for (const { input, answers } of sent) {
      const texts: string[] = [];
      for (const answer of answers) texts.push(await firstOf(clock, [answer]));
      expect(new Set(texts).size, `${msisdn} ${input}: ${texts.join(' | ')}`).toBe(1);
    }
  }
  return { screens, asked, opened: await opened() };
}

describe.each(channels)('S02: on %s, which marks no request, two gateways in turn', (channel) => {
  test('give the screens of one gateway, and ask nothing twice', async () => {
    const two = await play(channel, 2);
    expect(two).toEqual(await play(channel, 1));
    expect(two.opened).toHaveLength(dialogues);
  });

  test('give the screens of one gateway also before they know each other', async () => {
    expect(await play(channel, 2, { knowOthers: false })).toEqual(await play(channel, 1));
  });

  test('give one screen to an input and its copies while another system answers, and open what was confirmed', async () => {
    const { opened } = await play(channel, 2, { isSlow: true });
    expect(opened).toHaveLength(dialogues);
  });

  test.each([true, false])(
    'give copies that arrive at once the screens of one gateway: %s',
    async (knowOthers) => {
      const { asked: _, ...two } = await play(channel, 2, { knowOthers, atOnce: true });
      expect(await play(channel, 1)).toMatchObject(two);
    },
  );
});
