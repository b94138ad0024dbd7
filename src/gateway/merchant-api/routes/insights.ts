import { insights, insightsQuery } from '../../../contract/merchant/insights.ts';
import { readInsightDays } from '../../insights/insight-days.ts';
import { readInsights } from '../../insights/insights-query.ts';
import { defineMerchantRoute } from '../define-route.ts';

/** The figures of a merchant's days. */
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
