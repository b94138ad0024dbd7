import { declined } from './courses/unpaid.ts';
import { type Act, hourMs, type Order, type Scene, weekMs } from './scene.ts';
import { type Shop, shops } from './shops.ts';

/*
 * Payments of sessions that the gateway does not know, and what people decide about them.
 */

const [abena, kofi, volta] = shops;

type Money = { shop: Shop; goodsMinor: number; name: string };

/** Delivers an event of money for an unknown payment session. @returns the id of the unplaced payment and its version. */
async function arrive(
  scene: Scene,
  { shop, goodsMinor, name }: Money,
): Promise<{ id: string; version: number }> {
  const [at, feeMinor] = [new Date(scene.clock.now()).toISOString(), Math.round(goodsMinor / 100)];
  const sessionId = `pay_seeded_${name}`;
  await scene.deliver(shop, {
    ...{ id: `evt_seeded_${name}`, type: 'payment.session.paid', created_at: at },
    data: {
      ...{ id: sessionId, status: 'paid', paid_at: at, goods_minor: goodsMinor },
      ...{
        amount_minor: goodsMinor + feeMinor,
        expected_fee_minor: feeMinor,
        expected_net_minor: goodsMinor,
      },
    },
  });
  const { data } = (await scene.staff('ama', '/unplaced')) as {
    data: { id: string; version: number; sessionId: string }[];
  };
  const found = data.find((one) => one.sessionId === sessionId);
  if (!found) throw new Error(`no unplaced payment of ${sessionId}`);
  return found;
}

type Terms = { outcome: string; evidence: string; reference?: string; collectionId?: string };

/** One person proposes a decision about money that arrives. @returns the id of the proposal. */
async function propose(scene: Scene, money: Money, terms: Terms): Promise<string> {
  const { id, version } = await arrive(scene, money);
  const { id: proposal } = await scene.staff('ama', `/unplaced/${id}/proposals`, { ...terms, version });
  return String(proposal);
}

async function decide(scene: Scene, money: Money, terms: Terms): Promise<void> {
  const proposal = await propose(scene, money, terms);
  await scene.clock.advance(60_000);
  await scene.staff('kofi', `/proposals/${proposal}/approve`, {});
}

const evidence = 'statement of the service, line 31';
const money = (shop: Shop, goodsMinor: number, name: string): Money => ({ shop, goodsMinor, name });

/** A declined payment that was made by another session after all. */
async function match(scene: Scene): Promise<void> {
  const payer = '0246181555';
  const order: Order = { shop: kofi, channel: 'hubtel', payer, dialler: payer, amount: '73.50' };
  await declined(scene, order);
  const { id: collectionId } = scene.newest(payer);
  await decide(scene, money(kofi, 7_350, 'matched'), { outcome: 'match', collectionId, evidence });
}

const at = (hoursBefore: number, run: (scene: Scene) => Promise<unknown>): Act => ({
  atMs: weekMs - hoursBefore * hourMs,
  async run(scene) {
    await run(scene);
  },
});

/** The number of collections among these acts. */
export const unplacedCollections = 1;

export const unplaced: readonly Act[] = [
  at(80, match),
  at(78, (scene) =>
    decide(scene, money(volta, 2_500, 'returned'), { outcome: 'return', reference: 'TRF-2204', evidence }),
  ),
  at(76, (scene) => decide(scene, money(abena, 9_900, 'foreign'), { outcome: 'foreign', evidence })),
  at(8, (scene) => propose(scene, money(volta, 6_400, 'proposed'), { outcome: 'foreign', evidence })),
  at(20, (scene) => arrive(scene, money(volta, 4_500, 'unknown'))),
  // The amount of the declined payment of the bill INV-7042.
  at(49, (scene) => arrive(scene, money(abena, 14_700, 'late'))),
];
