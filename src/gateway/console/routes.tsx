import type { Context } from 'hono';
import type { Clock } from '../../shared/clock.ts';
import { showShortReference } from '../../shared/short-reference.ts';
import type { CollectionRow } from '../collection/collection.ts';
import { explain } from '../support/explain/explain.ts';
import type { CollectionPage } from '../support/page.ts';
import { filterTexts, listPath, readFilter } from './list/filter.ts';
import { isPrivateTerm, readSearchBox } from './list/search-box.ts';
import type { NumberView } from './numbers.ts';
import { ListPage, type ListView } from './pages/list-page.tsx';
import { PaymentPage } from './pages/payment-page.tsx';
import { paymentPath } from './pages/payment-table.tsx';
import { MessagePage, type Shell } from './pages/shell.tsx';
import type { ConsoleReader } from './reader.ts';
import type { PaymentActions } from './work/payment-actions.tsx';

export type ConsolePagesDeps = {
  reader: ConsoleReader;
  clock: Pick<Clock, 'now'>;
  /** Returns what surrounds the page for the person of the request. */
  shell(c: Context): Shell;
  /** Returns how the person of the request sees the numbers of a payment; without an id, those of lists. */
  numbers(c: Context, collectionId?: string): NumberView;
  /** Returns what the person of the request can do about a payment; null for a person who only reads. */
  actions?(c: Context, row: CollectionRow): Promise<PaymentActions | null>;
  /** The payments on one page of a list; 50 by default. */
  pageRows?: number;
};

/** A page of the console below `/console`. Who may use it is decided where it is registered. */
export type ConsoleRoute = {
  method: 'GET' | 'POST';
  path: string;
  handler(c: Context): Promise<Response> | Response;
};

const relatedRows = 6;

const emptyPage: CollectionPage = { data: [], total: 0, sumMinor: 0, next: null };

/** Returns the pages that read payments. */
export function paymentRoutes(deps: ConsolePagesDeps): ConsoleRoute[] {
  const { reader, clock, shell, numbers, actions, pageRows = 50 } = deps;
  const showList = (c: Context, view: Omit<ListView, 'numbers'>, status: 200 | 422 = 200) =>
    c.html(<ListPage shell={shell(c)} view={{ ...view, numbers: numbers(c) }} />, status);

  const showMessage = (c: Context, title: string, text: string) =>
    c.html(<MessagePage shell={shell(c)} title={title} text={text} />, 404);

  const noPayment = (c: Context) =>
    showMessage(c, 'No such payment', 'No payment has this id. Search for a number or a reference.');

  const unknownPage = (c: Context) =>
    showMessage(c, 'No such page', 'The page before it no longer exists. Start with the first page.');

  async function list(c: Context): Promise<Response> {
    const query = c.req.query();
    const { q = '', after } = query;
    const filters = filterTexts(query);
    if (q !== '') return showFound(c, q, after);
    const read = readFilter(filters);
    const view = { title: 'Payments', filters };
    if (!read.ok) return showList(c, { ...view, page: emptyPage, message: read.message }, 422);
    const page = await reader.list(read.filter, { limit: pageRows, after });
    if (page === 'unknown_cursor') return unknownPage(c);
    const nextPath = page.next === null ? undefined : listPath(filters, { after: page.next });
    return showList(c, { ...view, page, nextPath });
  }

  /** Shows what a search finds. The pages of a private term end with the first one, because its cursor would need the term. */
  async function showFound(c: Context, q: string, after?: string): Promise<Response> {
    const page = await reader.search(q, { limit: pageRows, after });
    if (page === 'unknown_cursor') return unknownPage(c);
    const isPaged = page.next !== null && !isPrivateTerm(q);
    const nextPath = isPaged ? listPath({}, { q, after: page.next ?? '' }) : undefined;
    const title = `Payments for “${numbers(c).text(q)}”`;
    return showList(c, { title, filters: {}, page, nextPath, isSearch: true });
  }

  async function search(c: Context): Promise<Response> {
    const { q } = await c.req.parseBody();
    const box = readSearchBox(typeof q === 'string' ? q : '');
    if (box.kind === 'empty') return c.redirect('/console', 303);
    if (box.kind === 'filters') return c.redirect(listPath(box.texts), 303);
    if (box.kind === 'invalid')
      return showList(c, { title: 'Payments', filters: {}, page: emptyPage, message: box.message }, 422);
    const found = await reader.search(box.term, { limit: 2 });
    const [only, other] = found === 'unknown_cursor' ? [] : found.data;
    if (only && !other) return c.redirect(paymentPath(only.id), 303);
    return isPrivateTerm(box.term) ? showFound(c, box.term) : c.redirect(listPath({}, { q: box.term }), 303);
  }

  async function payment(c: Context): Promise<Response> {
    const record = await reader.payment(c.req.param('id') ?? '');
    if (!record) return noPayment(c);
    const { id, payer } = record.collection;
    const same = await reader.named(payer, { limit: relatedRows });
    const related = same === 'unknown_cursor' ? [] : same.data.filter((row) => row.id !== id);
    const explanation = explain(record, clock.now());
    const view = { record, explanation, related, numbers: numbers(c, id) };
    const acting = (await actions?.(c, record.collection)) ?? null;
    return c.html(<PaymentPage shell={shell(c)} view={{ ...view, actions: acting }} />);
  }

  /** Lists all payments of the payer of one payment, so that no number stands in the URL. */
  async function ofPayer(c: Context): Promise<Response> {
    const record = await reader.payment(c.req.param('id') ?? '');
    if (!record) return noPayment(c);
    const { id, payer, shortReference } = record.collection;
    const page = await reader.named(payer, { limit: pageRows, after: c.req.query('after') });
    if (page === 'unknown_cursor') return unknownPage(c);
    const path = `${paymentPath(id)}/payer`;
    const nextPath = page.next === null ? undefined : `${path}?${new URLSearchParams({ after: page.next })}`;
    const title = `Payments of the payer of ${showShortReference(shortReference)}`;
    return showList(c, { title, filters: {}, page, nextPath });
  }

  return [
    { method: 'GET', path: '/', handler: list },
    { method: 'POST', path: '/search', handler: search },
    { method: 'GET', path: '/payments/:id', handler: payment },
    { method: 'GET', path: '/payments/:id/payer', handler: ofPayer },
  ];
}
