import { insights, insightsQuery } from '../../../contract/merchant/insights.ts';
import { day, merchantUnplacedPage, unplacedQuery } from '../../../contract/merchant/merchant-operations.ts';
import { maskNumbers } from '../../../shared/msisdn.ts';
import { sumDay } from '../../collection/store/sums-query.ts';
import { readInsightDays } from '../../insights/insight-days.ts';
import { readInsights } from '../../insights/insights-query.ts';
import { readDay } from '../../ledger/day.ts';
import { listUnplaced } from '../../unplaced/list-query.ts';
import type { UnplacedPayment } from '../../unplaced/unplaced.ts';
import { unplacedStore } from '../../unplaced/unplaced-store.ts';
import { defineMerchantRoute, unknownCursor } from '../define-route.ts';

export const dayRoutes = [
  defineMerchantRoute({
    name: 'GET /days/:id',
    operationId: 'getDay',
    summary: 'Returns the totals of the payments that were opened on a day (UTC), such as 2026-03-06.',
    tag: 'payments',
    needs: 'payments:read',
    answer: day,
    async read({ store, clock }, { owner, id }) {
      const span = readDay(id);
      if (!span) return { ok: false, code: 'invalid_request', message: 'expected a day such as 2026-03-06' };
      const { opened, open, paid, notPaid, review, chargedMinor, feeMinor, netMinor } = await sumDay(
        store,
        owner,
        span,
      );
      const complete = clock.now() >= span.to && open === 0 && review === 0;
      return {
        ok: true,
        value: {
          ...{ date: id, complete, opened, open, paid, not_paid: notPaid, review },
          ...{ charged_minor: chargedMinor, fee_minor: feeMinor, net_minor: netMinor },
        },
      };
    },
  }),
  defineMerchantRoute({
    name: 'GET /unplaced',
    operationId: 'listUnplaced',
    summary:
      'Lists money that arrived and no payment explains, newest first. People of the gateway decide about it.',
    tag: 'payments',
    needs: 'payments:read',
    query: unplacedQuery,
    answer: merchantUnplacedPage,
    async read({ store }, { owner: { merchantId, livemode }, wholePayer, query: { state, limit, after } }) {
      const last = after === undefined ? undefined : await unplacedStore(store).find(after);
      if (after !== undefined && last?.merchantId !== merchantId) return unknownCursor;
      const filter = { merchantId, livemode, state: state === 'all' ? undefined : state };
      const found = await listUnplaced(store, filter, { limit, after });
      if (found === 'unknown_cursor') return unknownCursor;
      return {
        ok: true,
        value: { data: found.data.map((one) => viewUnplaced(one, wholePayer)), next: found.next },
      };
    },
  }),
];

function viewUnplaced(one: UnplacedPayment, wholePayer: boolean) {
  const shown = (text: string | null) => (wholePayer || text === null ? text : maskNumbers(text));
  return {
    ...{ id: one.id, state: one.state, amount_minor: one.amountMinor, suspended_minor: one.suspendedMinor },
    ...{
      payer: shown(one.payer),
      reference: shown(one.reference),
      reason: one.reason,
      payment: one.collectionId,
      paid_at: one.paidAt,
    },
    received_at: new Date(one.receivedAt).toISOString(),
    closed_at: one.closedAt === null ? null : new Date(one.closedAt).toISOString(),
  };
}

export const insightRoutes = [
  defineMerchantRoute({
    name: 'GET /insights',
    operationId: 'getInsights',
    summary: 'Returns figures of dialogues, screens and payments of a day, or of several days (UTC).',
    tag: 'payments',
    needs: 'payments:read',
    query: insightsQuery,
    answer: insights,
    async read({ store, clock }, { owner, query: { from, to, channel, language } }) {
      const now = clock.now();
      const days = readInsightDays({ from, to }, now);
      if ('message' in days) return { ok: false, code: 'invalid_request', message: days.message };
      const { merchantId } = owner;
      const livemode = owner.livemode === 1 ? 1 : 0;
      const request = { ...days, now, merchantId, livemode, channel, language } as const;
      return { ok: true, value: await readInsights(store, request) };
    },
  }),
];
