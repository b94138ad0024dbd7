import { paymentPage, paymentQuery } from '../../../contract/merchant/merchant-api.ts';
import { checked, noBody, noteBody, noted } from '../../../contract/merchant/merchant-operations.ts';
import { payment } from '../../../contract/merchant/notification.ts';
import { viewPayment } from '../../notify/view-payment.ts';
import { addNote } from '../../staff/operations/add-note.ts';
import { checkNow } from '../../staff/operations/check-now.ts';
import { answerWith, defineRoute, notFound, unknownCursor } from '../define-route.ts';
import { findPayment, listPayments } from '../payment-query.ts';

/** The payments of a merchant. */
export const paymentRoutes = [
  defineRoute({
    name: 'GET /payments',
    operationId: 'listPayments',
    summary: 'Lists payments, newest first.',
    tag: 'payments',
    needs: 'payments:read',
    query: paymentQuery,
    answer: paymentPage,
    async read({ store }, { owner, wholePayer, query }) {
      const { limit, after, from, to, late, ...equal } = query;
      const filter = {
        ...equal,
        from: from === undefined ? undefined : Date.parse(from),
        to: to === undefined ? undefined : Date.parse(to),
        late: late === undefined ? undefined : late === 'true',
      };
      const found = await listPayments(store, owner, filter, { limit, after });
      if (!found) return unknownCursor;
      const data = found.rows.map((row) => viewPayment(row, { wholePayer }));
      return { ok: true, value: { data, next: found.next } };
    },
  }),
  defineRoute({
    name: 'GET /payments/:id',
    operationId: 'getPayment',
    summary: 'Returns a payment.',
    tag: 'payments',
    needs: 'payments:read',
    answer: payment,
    async read({ store }, { owner, id, wholePayer }) {
      const row = await findPayment(store, owner, id);
      return row ? { ok: true, value: viewPayment(row, { wholePayer }) } : notFound('payment', id);
    },
  }),
  defineRoute({
    name: 'POST /payments/:id/check',
    operationId: 'checkPayment',
    summary: 'Asks the payment service for the status now. It never charges.',
    tag: 'payments',
    needs: 'payments:write',
    body: noBody,
    answer: checked,
    async run({ operations }, { id, actor }) {
      const answer = await checkNow(operations, { actor, id });
      return answerWith(
        answer,
        ({ status, pollAt }) => ({ payment: id, status, poll_at: pollAt }),
        notFound('payment', id),
      );
    },
  }),
  defineRoute({
    name: 'POST /payments/:id/notes',
    operationId: 'addNote',
    summary: 'Adds a note that support staff reads.',
    tag: 'payments',
    needs: 'payments:write',
    body: noteBody,
    answer: noted,
    async run({ operations }, { id, actor, body }) {
      const answer = await addNote(operations, { actor, id, input: body });
      return answerWith(answer, ({ at, text }) => ({ payment: id, at, text }), notFound('payment', id));
    },
  }),
];
