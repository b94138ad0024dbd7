import type { Order, Scene, SeededRow } from '../scene.ts';

/** How one payment goes, from its first screen until nothing more is to be done for it. */
export type Course = (scene: Scene, order: Order) => Promise<void>;

/** Returns a paid event with the quote of a collection, except for the fields in `changed`. */
export function paidEvent(row: SeededRow, now: number, changed: Record<string, unknown> = {}) {
  const at = new Date(now).toISOString();
  return {
    id: `evt_seeded_${row.shortReference}_${row.version}`,
    type: 'payment.session.paid',
    created_at: at,
    data: {
      ...{ id: row.sessionId, status: 'paid', paid_at: at },
      ...{ goods_minor: row.goodsMinor, amount_minor: row.amountMinor },
      ...{ expected_fee_minor: row.feeMinor, expected_net_minor: row.netMinor },
      ...changed,
    },
  };
}

export function failedEvent(row: SeededRow, now: number) {
  return {
    id: `evt_seeded_${row.shortReference}_${row.version}`,
    type: 'payment.session.failed',
    created_at: new Date(now).toISOString(),
    data: { id: row.sessionId, status: 'failed' },
  };
}

/** Time for the event of an end, and for the poll that follows it. */
export const settleMs = 8_000;
