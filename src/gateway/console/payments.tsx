import { showShortReference } from '../../shared/short-reference.ts';
import type { CollectionPage } from '../support/page.ts';
import {
  type ConsoleCall,
  type ConsoleContext,
  defineConsoleRoute,
  type PageContent,
} from './define-route.ts';
import { fileHead } from './parts/export-stream.ts';
import {
  type ExportPaths,
  exportPaths,
  exportRoute,
  noExport,
  type ReadFile,
  wholeExportRoutes,
} from './parts/exports.tsx';
import { showAmount, statusWords } from './parts/format.ts';
import { Back } from './parts/forms.tsx';
import { type Filter, List, pageRows } from './parts/list.tsx';
import { paymentPath, paymentTable } from './parts/table.tsx';
import {
  amountMeaning,
  type FilterName,
  type FilterTexts,
  filteredBy,
  filterFault,
  hasFilter,
  isPrivateTerm,
  type ListAddress,
  listPath,
  paymentsPath,
  readListAddress,
  readSearchBox,
  searchedAs,
  statuses,
} from './payments-filter.ts';
import { type ExportExtent, type Exported, paymentColumns } from './payments-query.ts';
import { SavedViews } from './saved-views.tsx';
import { getScope, maskedNumbers } from './scope.ts';

const needs = 'payments.read';

/** The routes of the list of payments, and of searches. */
export const paymentsRoutes = [
  defineConsoleRoute(
    'GET /payments',
    { needs, menu: { group: 'Work', link: 'Payments', icon: 'list' } },
    async (call, context) => {
      const { person, query, reads, show } = call;
      const { after } = query;
      const address = readListAddress(query);
      if (address.kind === 'term') return showFound(context, call, address.term, after);
      const { texts: filters } = address;
      const scope = getScope(person);
      const fault = address.kind === 'invalid' ? address.message : filterFault(scope, filters);
      if (address.kind === 'invalid' || fault !== undefined)
        return showList(context, call, { filters, message: fault });
      const page = await reads.list(scope, address.filter, { limit: pageRows, after });
      if (page === 'unknown_cursor') return show(unknownPage);
      const exports = exportPaths(person, exportPath, filters);
      return showList(context, call, { page, filters, exports, searched: filteredBy(filters) });
    },
  ),
  defineConsoleRoute('POST /search', { needs }, async (call, context) => {
    const { c, fields, person, reads } = call;
    const box = readSearchBox(fields.q ?? '');
    if (box.kind === 'empty') return c.redirect(listPath({}), 303);
    if (box.kind === 'filters') return c.redirect(listPath(box.texts), 303);
    if (box.kind === 'invalid') return showList(context, call, { message: box.message });
    const found = await reads.search(getScope(person), box.term, { limit: 2 });
    const [only, other] = found === 'unknown_cursor' ? [] : found.data;
    if (only && !other) return c.redirect(paymentPath(only.id), 303);
    return isPrivateTerm(box.term)
      ? showFound(context, call, box.term)
      : c.redirect(listPath({}, { q: box.term }), 303);
  }),
  // All payments of the payer of one payment, so that no number stands in the URL.
  defineConsoleRoute('GET /payments/:id/payer', { needs }, async (call, context) => {
    const { id, person, query, reads, show } = call;
    const scope = getScope(person);
    const record = await reads.payment(scope, id);
    if (!record) return show(noPayment);
    const { payer, shortReference } = record.collection;
    const request = { limit: pageRows, after: query.after };
    // The number is of a payment that the person sees, and was not typed.
    const page = await reads.named({ merchantId: scope.merchantId }, payer, request);
    if (page === 'unknown_cursor') return show(unknownPage);
    const title = `Payments of the payer of ${showShortReference(shortReference)}`;
    return showList(context, call, { title, page, path: `${paymentPath(id)}/payer` });
  }),
  exportRoute('GET /export.csv', 'payments.read', readExport),
  ...wholeExportRoutes('GET /export.csv', readExport),
];

function readExport({ person, query, reads }: ConsoleCall): ReturnType<ReadFile> {
  const { after: _, numbers: __, ...filter } = query;
  const address = readListAddress(filter);
  if (address.kind === 'invalid') return noExport(address.message);
  const scope = getScope(person);
  const fault = address.kind === 'filter' ? filterFault(scope, address.texts) : undefined;
  if (fault !== undefined) return noExport(fault);
  return {
    name: 'payments',
    filter: 'term' in address ? { q: address.term } : address.texts,
    async open(numbers) {
      const extent = await reads.measureExport(scope, exportedBy(address));
      return {
        total: extent.total,
        head: fileHead(paymentColumns),
        notesOf: (rows, isCut) => listNotes(extent, rows, isCut),
        read: (page) => reads.exportPart(scope, extent, { ...page, numbers }),
      };
    },
  };
}

/** The address of the list as a file. */
const exportPath = '/console/export.csv';

export const noPayment = messagePage(
  'No such payment',
  'No payment has this id. Search for a number or a reference.',
);

const unknownPage = messagePage(
  'No such page',
  'The page before it no longer exists. Start with the first page.',
);

function messagePage(title: string, text: string): PageContent {
  const body = (
    <>
      <p>{text}</p>
      <Back path={listPath({})} text="All payments" />
    </>
  );
  return { title, body, status: 404 };
}

/** Shows what a search finds. The pages of a private term end with the first one, because its cursor would need the term. */
async function showFound(context: ConsoleContext, call: ConsoleCall, q: string, after?: string) {
  const { person, reads, show } = call;
  const scope = getScope(person);
  const page = await reads.search(scope, q, { limit: pageRows, after });
  if (page === 'unknown_cursor') return show(unknownPage);
  const shown = `“${maskedNumbers.text(q)}”`;
  const found = { title: `Payments for ${shown}`, searched: searchedAs(q, shown, scope), isSearch: true };
  return isPrivateTerm(q)
    ? showList(context, call, { ...found, page: { ...page, next: null } })
    : showList(context, call, { ...found, page, q, exports: exportPaths(person, exportPath, { q }) });
}

/** The content of a list of payments. */
type View = {
  /** `Payments`, or what was searched for. */
  title?: string;
  /** Absent when nothing was read, for the reason in the message. */
  page?: CollectionPage & { notSearched?: number };
  /** The address of the list, when it is another one than that of all payments. */
  path?: string;
  filters?: FilterTexts;
  /** The search term of the address. */
  q?: string;
  /** The paths of the list as a file; absent for a list without an address of its own. */
  exports?: ExportPaths;
  message?: string | undefined;
  /** True when the payments are the result of a search for a term, which filters do not narrow down. */
  isSearch?: boolean;
  /** The searched fields, in words. */
  searched?: readonly string[];
};

const noPayments: NonNullable<View['page']> = { data: [], total: 0, sumMinor: 0, next: null };

async function showList(
  { operations, views, clock }: ConsoleContext,
  { person, show }: ConsoleCall,
  { title = 'Payments', path = paymentsPath, filters = {}, searched = [], isSearch = false, ...view }: View,
): Promise<Response> {
  const { page = noPayments, q, exports, message } = view;
  const scope = getScope(person);
  const own = await views.list(person.accountId);
  const isOfAll = scope.merchantId === null;
  const has = (all: readonly PaymentFilter[]) => all.filter(({ name }) => hasFilter(scope, name));
  const merchant = merchantFilter(operations.merchantIds(), filters.merchant);
  const body = (
    <>
      <List
        path={path}
        query={{ ...filters, q }}
        filters={{
          path: paymentsPath,
          filters: has([statusFilter, merchant, ...shownFilters]),
          more: { filters: has(moreFilters), hint: `Amount: ${amountMeaning}.` },
          canClear: Object.keys(filters).length > 0,
        }}
        {...paymentTable(title, page.data, maskedNumbers, { now: clock.now(), hasMerchants: isOfAll })}
        empty={<Nothing searched={searched} />}
        count={`${page.data.length} of ${page.total}, sum of prices ${showAmount(page.sumMinor)}`}
        next={page.next}
        more={{ text: 'Next page' }}
        exports={page.total > 0 ? exports : undefined}
        total={page.total}
      >
        {!isSearch && <SavedViews views={own} filters={filters} />}
      </List>
      {(page.notSearched ?? 0) > 0 && (
        <p class="muted small">
          {isSearch
            ? `Parts of references and amounts were not searched in ${page.notSearched} older payments. Filters find them.`
            : `${page.notSearched} older payments were not searched. Set the ${isOfAll ? 'first' : 'last'} day to search them.`}
        </p>
      )}
      {isSearch && isOfAll && (
        <p class="muted small">
          Money without a payment is not searched here. Search it under{' '}
          <a href="/console/unplaced">Unplaced money</a>.
        </p>
      )}
    </>
  );
  return show({ title, message, body, status: view.page ? 200 : 422 });
}

/** The searched fields of a list without a payment. */
function Nothing({ searched }: { searched: readonly string[] }) {
  return (
    <>
      <p>No payment found.</p>
      {searched.length > 0 && (
        <>
          <p>Searched for</p>
          <ul>
            {searched.map((text) => (
              <li>{text}</li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

type PaymentFilter = Filter & { name: FilterName };

const statusFilter: PaymentFilter = {
  ...{ name: 'status', label: 'Status', any: 'any' },
  choices: statuses.map((status) => [status, statusWords[status]]),
};

const shownFilters: readonly PaymentFilter[] = [
  { name: 'from', label: 'First day', type: 'date' },
  { name: 'to', label: 'Last day', type: 'date' },
  { name: 'last4', label: 'Last four digits' },
];

const moreFilters: readonly PaymentFilter[] = [
  { name: 'min', label: 'Lowest amount' },
  { name: 'max', label: 'Highest amount' },
  { name: 'reason', label: 'Reason' },
  { name: 'network', label: 'Network' },
  { name: 'channel', label: 'Channel' },
  { name: 'assigned', label: 'Assigned to' },
];

/** More merchants are typed. */
const maxChoices = 100;

function merchantFilter(merchants: readonly string[], set: string | undefined): PaymentFilter {
  const field = { name: 'merchant', label: 'Merchant' } as const;
  if (merchants.length === 0 || merchants.length > maxChoices) return field;
  const ids = new Set(set === undefined ? merchants : [...merchants, set]);
  return { ...field, any: 'any', choices: [...ids].map((id) => [id]) };
}

function exportedBy(address: Exclude<ListAddress, { kind: 'invalid' }>): Exported {
  return address.kind === 'term' ? { term: address.term } : { filter: address.filter };
}

/** Returns what a file of payments does not contain; nothing for a whole ledger. */
export function listNotes(
  { total, notSearched }: Pick<ExportExtent, 'total' | 'notSearched'>,
  rows: number,
  isCut: boolean,
): string[] {
  return [
    ...(isCut ? [`cut after the newest ${rows} of ${total} payments: export shorter spans of time`] : []),
    ...(notSearched > 0 ? [`${notSearched} older payments were not searched: set the first day`] : []),
  ];
}
