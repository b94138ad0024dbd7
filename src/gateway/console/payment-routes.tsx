import type { Context } from 'hono';
import type { Clock, EpochMs } from '../../shared/clock.ts';
import { showShortReference } from '../../shared/short-reference.ts';
import type { Person } from '../access/actor.ts';
import type { SavedView } from '../accounts/saved-view-store.ts';
import type { CollectionRow } from '../collection/collection.ts';
import type { CollectionRecord } from '../support/collection-query.ts';
import { explain } from '../support/explain/explain.ts';
import type { CollectionPage } from '../support/page.ts';
import { type ConsoleCall, type ConsoleRoute, defineRoute, type PageContent } from './define-route.ts';
import { exportPath } from './list/export-routes.tsx';
import { listPath } from './list/filter.ts';
import { readListAddress } from './list/list-address.ts';
import { isPrivateTerm } from './list/private-term.ts';
import { readSearchBox } from './list/search-box.ts';
import { filteredBy, searchedAs } from './list/searched-words.ts';
import type { NumberView } from './numbers.ts';
import { ListPage, type ListView } from './pages/list-page.tsx';
import { paymentPage } from './pages/payment-page.tsx';
import { paymentPath } from './pages/payment-table.tsx';
import type { ConsoleReader } from './reads.ts';
import { mayUse } from './roles.ts';
import { filterFault, scopeOf } from './scope.ts';
import type { PaymentActions } from './work/payment-actions.tsx';

export type PaymentPagesDeps = {
  reader: ConsoleReader;
  clock: Pick<Clock, 'now'>;
  /** Returns how a person sees the numbers of a payment; without a record, those of lists. */
  numbers(person: Person, record?: CollectionRecord): NumberView;
  /** Returns what a person can do about a payment; null for one who only reads. */
  actions(person: Person, row: CollectionRow): Promise<PaymentActions | null>;
  /** The merchants to choose from in the filters; typed when absent. */
  merchantIds?: () => readonly string[];
  /** Returns the saved views of a person; none when absent. */
  viewsOf?: (person: Person) => Promise<SavedView[]>;
  /** The payments on one page of a list; 50 by default. */
  pageRows?: number;
};

type Call = ConsoleCall<Person>;

/** What a list shows, besides the numbers. */
type List = Omit<ListView, 'numbers' | 'role' | 'scope' | 'views'> & { status?: PageContent['status'] };

const emptyPage: CollectionPage = { data: [], total: 0, sumMinor: 0, next: null };

const noPayment = messagePage(
  'No such payment',
  'No payment has this id. Search for a number or a reference.',
);

const unknownPage = messagePage(
  'No such page',
  'The page before it no longer exists. Start with the first page.',
);

/** Returns the pages that read payments. */
export function paymentRoutes(deps: PaymentPagesDeps): ConsoleRoute[] {
  const { reader, clock, numbers, actions, merchantIds, viewsOf, pageRows = 50 } = deps;

  async function showList({ person, show }: Call, { status = 200, ...view }: List) {
    const views = await viewsOf?.(person);
    return show({
      title: view.title,
      body: (
        <ListPage
          {...view}
          numbers={numbers(person)}
          role={person.role}
          scope={scopeOf(person)}
          merchants={merchantIds?.()}
          views={views}
        />
      ),
      status,
    });
  }

  async function list(call: Call): Promise<Response> {
    const query = call.c.req.query();
    const { after } = query;
    const address = readListAddress(query);
    if (address.kind === 'term') return showFound(call, address.term, after);
    const { texts: filters } = address;
    const scope = scopeOf(call.person);
    const fault = address.kind === 'invalid' ? address.message : filterFault(scope, filters);
    const view = { title: 'Payments', filters };
    if (address.kind === 'invalid' || fault !== undefined)
      return showList(call, { ...view, page: emptyPage, message: fault, status: 422 });
    const page = await reader.by(call.person).list(scope, address.filter, { limit: pageRows, after });
    if (page === 'unknown_cursor') return call.show(unknownPage);
    const nextPath = page.next === null ? undefined : listPath(filters, { after: page.next });
    const exports = exportPath(call.person, filters);
    return showList(call, { ...view, page, nextPath, exports, searched: filteredBy(filters) });
  }

  /** Shows what a search finds. The pages of a private term end with the first one, because its cursor would need the term. */
  async function showFound(call: Call, q: string, after?: string): Promise<Response> {
    const page = await reader.by(call.person).search(scopeOf(call.person), q, { limit: pageRows, after });
    if (page === 'unknown_cursor') return call.show(unknownPage);
    const isPaged = page.next !== null && !isPrivateTerm(q);
    const nextPath = isPaged ? listPath({}, { q, after: page.next ?? '' }) : undefined;
    const shown = `“${numbers(call.person).text(q)}”`;
    const title = `Payments for ${shown}`;
    const exports = isPrivateTerm(q) ? undefined : exportPath(call.person, { q });
    const searched = searchedAs(q, shown, scopeOf(call.person));
    return showList(call, { title, filters: {}, page, nextPath, exports, searched, isSearch: true });
  }

  async function search(call: Call): Promise<Response> {
    const { c, fields, person } = call;
    const box = readSearchBox(fields.q ?? '');
    if (box.kind === 'empty') return c.redirect(listPath({}), 303);
    if (box.kind === 'filters') return c.redirect(listPath(box.texts), 303);
    if (box.kind === 'invalid')
      return showList(call, {
        ...{ title: 'Payments', filters: {}, page: emptyPage, message: box.message },
        status: 422,
      });
    const found = await reader.by(person).search(scopeOf(person), box.term, { limit: 2 });
    const [only, other] = found === 'unknown_cursor' ? [] : found.data;
    if (only && !other) return c.redirect(paymentPath(only.id), 303);
    return isPrivateTerm(box.term)
      ? showFound(call, box.term)
      : c.redirect(listPath({}, { q: box.term }), 303);
  }

  async function payment({ c, person, show }: Call): Promise<Response> {
    const scope = scopeOf(person);
    const record = await reader.by(person).payment(scope, idOf(c));
    if (!record) return show(noPayment);
    const context = await reader.by(person).paymentContext(scope, record.collection, clock.now());
    const explanation = explain(record, clock.now());
    const acting = await actions(person, record.collection);
    const seen = numbers(person, record);
    if (seen.until !== undefined) c.header('refresh', String(secondsUntil(seen.until, clock)));
    const canReveal = mayUse(person.role, 'POST /payments/:id/reveal');
    return show(
      paymentPage({ record, explanation, context, numbers: seen, canReveal, actions: acting, scope }),
    );
  }

  /** Lists all payments of the payer of one payment, so that no number stands in the URL. */
  async function ofPayer(call: Call): Promise<Response> {
    const { c, person, show } = call;
    const scope = scopeOf(person);
    const record = await reader.by(person).payment(scope, idOf(c));
    if (!record) return show(noPayment);
    const { id, payer, shortReference } = record.collection;
    // The number is of a payment that the person sees, and was not typed.
    const page = await reader
      .by(person)
      .named({ merchantId: scope.merchantId }, payer, { limit: pageRows, after: c.req.query('after') });
    if (page === 'unknown_cursor') return show(unknownPage);
    const path = `${paymentPath(id)}/payer`;
    const nextPath = page.next === null ? undefined : `${path}?${new URLSearchParams({ after: page.next })}`;
    const title = `Payments of the payer of ${showShortReference(shortReference)}`;
    return showList(call, { title, filters: {}, page, nextPath });
  }

  return [
    defineRoute('GET /payments', list),
    defineRoute('POST /search', search),
    defineRoute('GET /payments/:id', payment),
    defineRoute('GET /payments/:id/payer', ofPayer),
  ];
}

/** A page with whole numbers loads again when their time has ended. */
function secondsUntil(at: EpochMs, { now }: Pick<Clock, 'now'>): number {
  return Math.ceil((at - now()) / 1_000);
}

const idOf = (c: Context) => c.req.param('id') ?? '';

function messagePage(title: string, text: string): PageContent {
  const body = (
    <>
      <p>{text}</p>
      <p>
        <a href={listPath({})}>All payments</a>
      </p>
    </>
  );
  return { title, body, status: 404 };
}
