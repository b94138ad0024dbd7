import { prepareIntent } from '../../src/gateway/collection/opening/prepare-intent.ts';
import { createPostgresStore } from '../../src/postgres/postgres.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { systemIds } from '../../src/shared/ids.ts';
import type { AmountMinor } from '../../src/shared/money.ts';
import type { Msisdn } from '../../src/shared/msisdn.ts';
import { createSqliteStore } from '../../src/sqlite/sqlite.ts';
import type { Store } from '../../src/sqlite/store.ts';
import { median } from '../kit/median.ts';

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

/** What opening collections costs. */
type Figures = { perSecond: number; cpuMs: number; databaseCpuMs: number };

type Engines = { file: string; url: string; rounds: number; cpuMsOfDatabase(): number };

/** Opens collections of different payers at 64 merchants. */
async function measure(store: Store, cpuMsOfDatabase: () => number): Promise<Figures> {
  let left = perRound;
  const databaseBefore = cpuMsOfDatabase();
  const before = process.cpuUsage();
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      while (left-- > 0) if (!(await store.apply(nextOpening()))) throw new Error('an opening was rejected');
    }),
  );
  const { user, system } = process.cpuUsage(before);
  return {
    perSecond: perRound / ((performance.now() - startedAt) / 1_000),
    cpuMs: (user + system) / 1_000 / perRound,
    databaseCpuMs: (cpuMsOfDatabase() - databaseBefore) / perRound,
  };
}

/** Opens collections on a file and on a server, one after another in each round. */
export async function compareOpenings({ file, url, rounds, cpuMsOfDatabase }: Engines) {
  const onFile = createSqliteStore({ file, schema: 'gateway', clock });
  const onServer = await createPostgresStore({ url });
  try {
    const files: Figures[] = [];
    const servers: Figures[] = [];
    for (let round = 0; round < rounds; round++) {
      files.push(await measure(onFile, () => 0));
      servers.push(await measure(onServer, cpuMsOfDatabase));
    }
    const line = (name: string, figures: readonly Figures[]) => {
      const of = (pick: (one: Figures, at: number) => number) => median(figures.map(pick));
      return {
        name,
        perSecond: of((one) => one.perSecond),
        ofFile: of((one, at) => one.perSecond / (files[at]?.perSecond ?? Number.NaN)),
        cpuMs: of((one) => one.cpuMs),
        databaseCpuMs: of((one) => one.databaseCpuMs),
      };
    };
    return [line('file', files), line('postgres', servers)];
  } finally {
    await onServer.close();
    await onFile.close();
  }
}
