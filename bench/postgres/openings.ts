import { prepareIntent } from '../../src/gateway/collection/opening/prepare-intent.ts';
import { collectionStore } from '../../src/gateway/collection/store/collection-store.ts';
import { createPostgresStore } from '../../src/postgres/postgres.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { systemIds } from '../../src/shared/ids.ts';
import type { AmountMinor } from '../../src/shared/money.ts';
import type { Msisdn } from '../../src/shared/msisdn.ts';
import { createSqliteStore } from '../../src/sqlite/sqlite.ts';
import type { Store } from '../../src/sqlite/store.ts';
import { type Figures, nothing, perCollection, type SpentByServer, summarize } from './compare.ts';

const channel = 'africastalking';
const clock = systemClock();
const ids = systemIds(clock);

/** Limits as configured by default. */
const limits = {
  dialler: { perHour: 20, perDay: 60 },
  payer: { perHour: 6, perDay: 20 },
  merchant: { perMinute: 10_000 },
  requests: { payer: { perHour: 6, perDay: 20 }, dialler: { perHour: 20, perDay: 60 } },
  declines: { maxDeclines: 2, coolDownMs: 3_600_000 },
  attendants: { perHour: 300, perDay: 3_000, maxDeclines: 20 },
};

const inFlight = 16;
const perRound = 1_000;

const hourMs = 60 * 60_000;

let opened = 0;

function nextOpening() {
  const number = ++opened;
  const payer = `23324${String(4_000_000 + number)}` as Msisdn;
  return prepareIntent(ids, {
    ...{ merchantId: `shop-${number % 64}`, livemode: 0, channel, dialogueId: ids.next('dlg') },
    ...{ network: 'mtn', goodsMinor: 2_000 as AmountMinor, retryOf: null, shownTotalMinor: null },
    ...{ reference: undefined, limits, now: clock.now(), promptDelayMs: 1_500, promptDeadlineMs: 180_000 },
    ...{ payer, dialler: payer, requestedBy: 'payer' },
  }).writes;
}

type Engines = { file: string; url: string; rounds: number; spent: SpentByServer };

/** Measures work for a number of collections. */
async function measure(count: number, spent: SpentByServer, work: () => Promise<unknown>): Promise<Figures> {
  const ofServer = await spent();
  const before = process.cpuUsage();
  const startedAt = performance.now();
  await work();
  const perSecond = count / ((performance.now() - startedAt) / 1_000);
  const { user, system } = process.cpuUsage(before);
  return {
    perSecond,
    cpuMs: (user + system) / 1_000 / count,
    ...perCollection(ofServer, await spent(), count),
  };
}

/** Opens collections of different payers at 64 merchants. */
async function open(store: Store): Promise<void> {
  let left = perRound;
  const worker = async () => {
    while (left-- > 0) if (!(await store.apply(nextOpening()))) throw new Error('an opening was rejected');
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
}

/** Claims each opened collection once, some at a time, as a worker with room for as many does. */
async function claim(store: Store, count: number): Promise<void> {
  const collections = collectionStore(store);
  const now = clock.now() + hourMs;
  let claimed = 0;
  while (claimed < count) {
    const listed = await collections.listDue({
      ...{ now, livemode: 0, limit: inFlight, order: 'newest', excludedMerchants: [] },
    });
    const ids = listed.map(({ id }) => id);
    claimed += (await collections.claim(ids, now, now + hourMs)).length;
    if (ids.length === 0) throw new Error(`only ${claimed} of ${count} collections are due`);
  }
}

/** Opens collections on a file and on a server, one after another in each round, and then claims all of them. */
export async function compareOpenings({ file, url, rounds, spent }: Engines) {
  const onFile = createSqliteStore({ file, schema: 'gateway', clock });
  const onServer = await createPostgresStore({ url });
  const sides = [
    { name: 'file', store: onFile, spent: nothing, figures: [] as Figures[] },
    { name: 'postgres', store: onServer, spent, figures: [] as Figures[] },
  ];
  try {
    for (let round = 0; round < rounds; round++)
      for (const { store, spent, figures } of sides)
        figures.push(await measure(perRound, spent, () => open(store)));
    const count = rounds * perRound;
    const claims: Figures[] = [];
    for (const { store, spent } of sides) claims.push(await measure(count, spent, () => claim(store, count)));
    const [files, claimsOfFile] = [sides[0]?.figures ?? [], claims.slice(0, 1)];
    return {
      openings: sides.map(({ name, figures }) => summarize(name, figures, files)),
      claims: sides.map(({ name }, at) => summarize(name, claims.slice(at, at + 1), claimsOfFile)),
    };
  } finally {
    await onServer.close();
    await onFile.close();
  }
}
