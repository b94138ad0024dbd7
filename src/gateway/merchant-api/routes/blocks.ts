import type { z } from 'zod';
import {
  blockBody,
  blocked,
  blockPage,
  blockQueryParameters,
  unblockBody,
} from '../../../contract/merchant/merchant-operations.ts';
import { blockWords } from '../../../contract/staff/staff.ts';
import { maskedForm, maskNumbers, parseMsisdn } from '../../../shared/msisdn.ts';
import { blockQuery } from '../../staff/block-query.ts';
import { blockNumber, unblockNumber } from '../../staff/operations/block.ts';
import { answerWith, defineMerchantRoute, notFoundAnswer, unknownCursor } from '../define-route.ts';

type Blocked = { msisdn: string; role: string; at: string; until: string | null };

/** Blocked numbers. A merchant blocks numbers at itself only; blocks of support staff at all merchants are not listed. */
export const blockRoutes = [
  defineMerchantRoute({
    name: 'GET /blocks',
    operationId: 'listBlocks',
    summary: 'Lists the blocks of the merchant that hold, newest first.',
    tag: 'blocks',
    needs: 'payments:read',
    query: blockQueryParameters,
    answer: blockPage,
    async read({ store, clock }, { owner, wholePayer, query: { limit, after } }) {
      const blocks = blockQuery(store);
      const [, nth] = /^block-([1-9]\d{0,8})$/.exec(after ?? '') ?? [];
      const before = nth ? await blocks.findNth(owner.merchantId, Number(nth)) : undefined;
      if (after !== undefined && before === undefined) return unknownCursor;
      const found = await blocks.list({ ...owner, limit: limit + 1, before, now: clock.now() });
      const rows = found.slice(0, limit);
      const data = rows.map(({ msisdn, role, at, until, reason, actor }) => ({
        ...view({
          msisdn: shownNumber(msisdn, wholePayer),
          role,
          at: new Date(at).toISOString(),
          until: until === null ? null : new Date(until).toISOString(),
        }),
        ...(actor.startsWith('mk_')
          ? { reason: wholePayer ? reason : maskNumbers(reason), by: actor }
          : { reason: null, by: null }),
      }));
      const last = found.length > limit ? rows.at(-1) : undefined;
      const next = last ? `block-${await blocks.countUpTo(owner.merchantId, last.seq)}` : null;
      return { ok: true, value: { data, next } };
    },
  }),
  defineMerchantRoute({
    name: 'POST /blocks',
    operationId: 'addBlock',
    summary: `Blocks a number: it ${blockWords.dialler} (\`dialler\`), or ${blockWords.payer} (\`payer\`).`,
    tag: 'blocks',
    needs: 'payments:write',
    body: blockBody,
    answer: blocked,
    async run({ operations }, { owner: { merchantId }, actor, body }) {
      return answerWith(await blockNumber(operations, { actor, input: { ...body, merchantId } }), view);
    },
  }),
  defineMerchantRoute({
    name: 'POST /blocks/remove',
    operationId: 'removeBlock',
    summary: 'Removes a block of the merchant.',
    tag: 'blocks',
    needs: 'payments:write',
    body: unblockBody,
    answer: blocked,
    async run({ operations }, { owner: { merchantId }, actor, body }) {
      const answer = await unblockNumber(operations, { actor, input: { ...body, merchantId } });
      return answerWith(answer, view, notFoundAnswer('block of', 'this number'));
    },
  }),
];

function view({ msisdn, role, at, until }: Blocked): z.infer<typeof blocked> {
  return { msisdn, role: role === 'payer' ? 'payer' : 'dialler', at, until };
}

function shownNumber(text: string, whole: boolean): string {
  const msisdn = parseMsisdn(text);
  return whole || msisdn === undefined ? text : maskedForm(msisdn);
}
