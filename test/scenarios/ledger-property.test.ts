import { expect, test } from 'vitest';
import { auditCollection } from '../../src/gateway/collection/audit.ts';
import { bookingsOf } from '../../src/gateway/collection/booking.ts';
import type { CollectionRow } from '../../src/gateway/collection/collection.ts';
import type { Evidence } from '../../src/gateway/collection/evidence.ts';
import type { RecordedFact } from '../../src/gateway/collection/fact.ts';
import { type ReconcileDeps, reconcile } from '../../src/gateway/collection/reconcile.ts';
import { type LedgerStore, ledgerStore } from '../../src/gateway/ledger/ledger-store.ts';
import { sealBlock } from '../../src/gateway/ledger/seal.ts';
import { verifyLedger } from '../../src/gateway/ledger/verify.ts';
import { systemIds } from '../../src/shared/ids.ts';
import { createLog } from '../../src/shared/log.ts';
import type { AmountMinor } from '../../src/shared/money.ts';
import { type Chance, chance } from '../aggregators/chance.ts';
import { type Bench, createBench, number } from '../gateway/collection/bench.ts';

const intents = 250;
const steps = 5;

function createAnswer({ id, goodsMinor, reference, payer }: CollectionRow, session: string): Evidence {
  return {
    kind: 'create_answered',
    ms: 5,
    session: {
      id: `${session}_${id}`,
      mode: 'offline',
      channel: 'ussd',
      network: 'mtn',
      goods_minor: goodsMinor,
      amount_minor: goodsMinor + 20,
      expected_fee_minor: 20,
      expected_net_minor: goodsMinor,
      status: 'created',
      reference,
      payer_msisdn: payer,
    },
  };
}

/** Any evidence about a collection, likely or not, true or not. */
function evidenceFor(row: CollectionRow, at: number, pick: Chance, nth: number): Evidence {
  const { id, goodsMinor } = row;
  const eventId = `evt_${id}_${pick.in100(30) ? pick.below(3) : nth}`;
  const amountMinor = pick.in100(85) ? goodsMinor + 20 : pick.pick([1, goodsMinor, goodsMinor * 2]);
  const quote = { goodsMinor, amountMinor, feeMinor: 20, netMinor: amountMinor - 20 };
  const made: (() => Evidence)[] = [
    () => createAnswer(row, pick.in100(90) ? 'pay_of' : 'pay_other_of'),
    () => ({ kind: 'initiate_answered', ms: 5 }),
    () => ({
      kind: 'polled',
      ...pick.pick([
        { status: 'paid', terminal: true },
        { status: 'failed', terminal: true },
        { status: 'initiated', terminal: false },
        { status: 'created', terminal: false },
        { status: 'odd', terminal: true },
      ]),
      paidAt: null,
      retryAfterSeconds: null,
      requestedAt: at,
      ms: 5,
    }),
    () => ({ kind: 'event_paid', eventId, type: 'payment.session.paid', amounts: quote, paidAt: 'then' }),
    () => ({
      kind: 'event_failed',
      eventId,
      type: 'payment.session.failed',
      status: pick.pick(['failed', 'expired']),
    }),
    () => ({ kind: 'event_review', eventId, type: 'review', amountMinor: pick.pick([null, 0, amountMinor]) }),
    () => ({ kind: 'call_unknown', call: 'initiate', outcome: 'unknown', detail: 'timeout', ms: 5 }),
    () => ({ kind: 'due' }),
    () => ({ kind: 'decision', outcome: pick.pick(['paid', 'not_paid']), by: 'ama', reason: 'statement' }),
  ];
  return pick.pick(made)();
}

function depsOf({ collections, clock }: Bench): ReconcileDeps {
  const log = createLog({ level: 'silent', pretty: false });
  return {
    collections,
    clock,
    ids: systemIds(clock),
    log,
    resendGraceMs: 15_000,
    retryAllowedAfterMs: 360_000,
  };
}

/** Acts as the worker: creates the session, and requests the prompt when it is due. */
async function sendPrompt(deps: ReconcileDeps, bench: Bench, row: CollectionRow): Promise<void> {
  const found = await bench.collections.find(row.id);
  if (found?.status !== 'created') return;
  const now = bench.clock.now();
  if (!(await bench.collections.claim(found, now, now + 30_000))) return;
  await reconcile(deps, row.id, { kind: 'due' }, { fence: found.fence + 1 });
}

async function everything(ledger: LedgerStore, rows: readonly CollectionRow[]) {
  return Promise.all(
    rows.map(async ({ id }) => ({
      facts: (await ledger.factsOf(id)).map(
        ({ kind, data, at }) => ({ kind, data: JSON.parse(data), at }) as RecordedFact,
      ),
      postings: await ledger.postingsOf(id),
    })),
  );
}

test.each([1, 2, 3, 4])(
  'S30: after random evidence on 250 collections (seed %i), each is booked at most once, every booking sums to zero, and the facts rebuild the balances',
  async (seed) => {
    const pick = chance(seed);
    const bench = createBench();
    const deps = depsOf(bench);
    const ledger = ledgerStore(bench.store);
    const opened = await Promise.all(
      Array.from({ length: intents }, (_, n) =>
        bench.open({
          payer: number(n),
          dialler: number(n),
          dialogueId: `dlg_${n}`,
          goodsMinor: (100 + pick.below(50_000)) as AmountMinor,
        }),
      ),
    );
    const rows = opened.map(({ row }) => row);
    for (let step = 0; step < steps; step++) {
      await bench.clock.skip(pick.pick([1_000, 5_000, 20_000, 200_000]));
      await Promise.all(rows.map((row) => sendPrompt(deps, bench, row)));
      const given = rows.map((row) => [
        row.id,
        // Most collections start normally, so that random evidence meets every status.
        step === 0 && pick.in100(80)
          ? createAnswer(row, 'pay_of')
          : evidenceFor(row, bench.clock.now(), pick, step),
      ]) as [string, Evidence][];
      // All evidence is applied twice, some of it concurrently.
      await Promise.all([...given, ...pick.shuffle(given)].map(([id, one]) => reconcile(deps, id, one)));
      await sealBlock(ledger, bench.clock);
    }

    const all = await everything(ledger, rows);
    const endStates = all.map(
      ({ postings }) =>
        postings.filter(({ account, booking }) => account === 'payers' && /^(paid|suspense)$/.test(booking))
          .length,
    );
    expect(Math.max(...endStates)).toBe(1);
    expect(endStates.filter((one) => one === 1).length).toBeGreaterThan(intents / 4);
    for (const { postings } of all) {
      expect(postings.reduce((sum, { amountMinor }) => sum + amountMinor, 0)).toBe(0);
    }
    expect(await verifyLedger(ledger, auditCollection)).toMatchObject({
      ok: true,
      faults: [],
      collections: intents,
      unsealed: 0,
    });

    const rebuilt = new Map<string, number>();
    for (const { facts } of all) {
      for (const { postings } of bookingsOf(facts)) {
        for (const { account, amountMinor } of postings)
          rebuilt.set(account, (rebuilt.get(account) ?? 0) + amountMinor);
      }
    }
    const balances = await ledger.balances();
    expect(Object.fromEntries(balances.map(({ account, amountMinor }) => [account, amountMinor]))).toEqual(
      Object.fromEntries(rebuilt),
    );
    expect(balances.reduce((sum, { amountMinor }) => sum + amountMinor, 0)).toBe(0);
    expect(balances.length).toBeGreaterThanOrEqual(4);
  },
);
