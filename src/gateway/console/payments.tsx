import { Icon } from '../../shared/pages/icons.tsx';
import { can } from '../access/permissions.ts';
import { assignableNames } from '../staff/operations/collections.ts';
import { type FilterTexts, isPrivateTerm, readSearchBox } from '../support/filter-text.ts';
import type { ListSums } from '../support/list-query.ts';
import type { CollectionPage } from '../support/page.ts';
import { readSearchTerm } from '../support/search-term.ts';
import type { CollectionFilter } from '../support/selection-query.ts';
import { callerPath } from './caller.tsx';
import {
  type ConsoleCall,
  type ConsoleContext,
  defineConsoleRoute,
  type PageContent,
} from './define-route.ts';
import { dialogueCallerPath } from './dialogues.tsx';
import { fileHead } from './parts/export-stream.ts';
import {
  ExportLinks,
  type ExportPaths,
  exportPaths,
  exportRoute,
  noExport,
  type ReadFile,
  wholeExportRoutes,
} from './parts/exports.tsx';
import { nameZone, showAmount, toQuery } from './parts/format.ts';
import { Back } from './parts/forms.tsx';
import { pageRows } from './parts/list.tsx';
import { paymentPath, paymentTable, Table } from './parts/table.tsx';
import { NoPayments } from './payments-empty.tsx';
import {
  clockFor,
  type FilterFault,
  filteredBy,
  filterFault,
  type ListAddress,
  listPath,
  paymentsPath,
  readListAddress,
  searchedAs,
  toFilterFault,
} from './payments-filter.ts';
import { describeDay, FilterBar, SumsTable } from './payments-list.tsx';
import { type ExportExtent, type Exported, paymentColumns } from './payments-query.ts';
import { SavedViews } from './saved-views.tsx';
import { getScope, maskedNumbers } from './scope.ts';

const needs = 'payments.read';

export const paymentsRoutes = [
  defineConsoleRoute(
    'GET /payments',
    { needs, menu: { group: 'Work', link: 'Payments', icon: 'list' } },
    async (call, context) => {
      const { person, query, reads, show } = call;
      const { after } = query;
      const clock = clockFor(context.operations, person, query.merchant);
      const address = await resolveAddress(call, context, readListAddress(query, clock));
      if (address.kind === 'term') return showFound(context, call, address.term, after);
      const { texts: filters } = address;
      if (address.kind === 'invalid') return showList(context, call, { filters, fault: address.fault });
      const scope = getScope(person);
      const page = await reads.list(scope, address.filter, {
        limit: pageRows,
        after,
        timeZone: clock.timeZone,
      });
      if (page === 'unknown_cursor') return show(unknownPage);
      return showList(context, call, {
        ...{ page, filters, sums: page.sums, isLater: after !== undefined },
        exports: exportPaths(person, exportPath, filters),
        searched: filteredBy(filters).map(({ words }) => words),
      });
    },
  ),
  defineConsoleRoute('POST /search', { needs }, async (call, context) => {
    const { c, fields, person, reads } = call;
    const { q: typed = '' } = fields;
    const box = readSearchBox(typed, clockFor(context.operations, person));
    const refuse = (fault: FilterFault) =>
      showList(context, call, { typed, fault: { message: fault.message } });
    if (box.kind === 'empty') return c.redirect(listPath({}), 303);
    if (box.kind === 'invalid') return refuse(toFilterFault(box.message));
    if (box.kind === 'filters') {
      const address = await resolveAddress(call, context, { ...box, kind: 'filter' });
      if (address.kind === 'invalid') return refuse(address.fault);
      return c.redirect(listPath(address.kind === 'filter' ? address.texts : {}), 303);
    }
    const found = await reads.search(getScope(person), box.term, { limit: 2 });
    const [only, other] = found === 'unknown_cursor' ? [] : found.data;
    if (only && !other) return c.redirect(paymentPath(only.id), 303);
    const caller = await findCaller(call, box.term);
    if (caller !== undefined) return c.redirect(caller, 303);
    return isPrivateTerm(box.term)
      ? showFound(context, call, box.term)
      : c.redirect(listPath({}, { q: box.term }), 303);
  }),
  // The answer to a search has this address: a browser asks for it again when the address is opened.
  defineConsoleRoute('GET /search', { needs }, async ({ c }) => c.redirect(listPath({}), 303)),
  exportRoute('GET /export.csv', 'payments.read', readExport),
  ...wholeExportRoutes('GET /export.csv', readExport),
];

/** Reads the file that the address of a list asks for. */
async function readExport(
  call: ConsoleCall,
  context: ConsoleContext,
): Promise<Awaited<ReturnType<ReadFile>>> {
  const { person, query, reads } = call;
  const { after: _, numbers: __, ...filter } = query;
  const clock = clockFor(context.operations, person, query.merchant);
  const address = await resolveAddress(call, context, readListAddress(filter, clock));
  if (address.kind === 'invalid') return noExport(address.fault.message);
  const scope = getScope(person);
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

/** Completes the values of the filters, and refuses those that the person does not have or that no payment can have. */
async function resolveAddress(
  { person, reads }: ConsoleCall,
  { operations }: ConsoleContext,
  address: ListAddress,
): Promise<ListAddress> {
  if (address.kind !== 'filter') return address;
  const scope = getScope(person);
  const { texts } = address;
  const fault = filterFault(scope, texts);
  if (fault !== undefined) return { kind: 'invalid', texts, fault: toFilterFault(fault) };
  if (Object.keys(toTexts(address.filter)).length === 0) return address;
  const resolved = await reads.resolve(scope, address.filter, {
    merchantIds: operations.merchantIds(),
    channelIds: operations.channelIds(scope.merchantId),
  });
  if (!resolved.ok) return { kind: 'invalid', texts, fault: toFilterFault(resolved.message) };
  return { kind: 'filter', texts: { ...texts, ...toTexts(resolved.filter) }, filter: resolved.filter };
}

/** Returns the texts of the values that a filter names. */
function toTexts({ merchantId, channel, network, reason, assigned }: CollectionFilter): FilterTexts {
  const texts = Object.entries({ merchant: merchantId, channel, network, reason, assigned });
  return Object.fromEntries(texts.filter(([, text]) => text !== undefined));
}

/** Returns the address of the page of a whole number that has several payments, or only dialogues; undefined for any other term. */
async function findCaller({ person, reads }: ConsoleCall, term: string): Promise<string | undefined> {
  const scope = getScope(person);
  const { msisdn } = readSearchTerm(term, scope);
  if (msisdn === undefined) return undefined;
  const found = await reads.named(scope, msisdn, { limit: 1 });
  const [newest] = found === 'unknown_cursor' ? [] : found.data;
  if (newest) return callerPath(newest.id, newest.payer === msisdn ? 'payer' : 'dialler');
  if (!can(person, 'cases.read')) return undefined;
  const dialogueId = await reads.lastDialogue(scope, msisdn);
  return dialogueId && dialogueCallerPath(dialogueId);
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
  const found = {
    title: `Payments for ${shown}`,
    typed: q,
    isSearch: true,
    searched: searchedAs(q, shown, scope),
  };
  return isPrivateTerm(q)
    ? showList(context, call, { ...found, page: { ...page, next: null } })
    : showList(context, call, {
        ...{ ...found, page, q, isLater: after !== undefined },
        exports: exportPaths(person, exportPath, { q }),
      });
}

type View = {
  /** `Payments`, or what was searched for. */
  title?: string;
  /** Absent when nothing was read, for the reason in the message. */
  page?: CollectionPage & { notSearched?: number };
  filters?: FilterTexts;
  /** The sums of the list; absent for a search and for a long list. */
  sums?: ListSums | undefined;
  /** The search term of the address. */
  q?: string;
  /** The paths of the list as a file; absent for a list without an address of its own. */
  exports?: ExportPaths;
  /** The fault of the filters or the search that was sent. */
  fault?: FilterFault;
  /** The text of the search box that was sent. */
  typed?: string;
  /** True for a page after the first one. */
  isLater?: boolean;
  /** True when the payments are the result of a search for a term, which filters do not narrow down. */
  isSearch?: boolean;
  /** The searched fields, in words. */
  searched?: readonly string[];
};

const noPayments: NonNullable<View['page']> = { data: [], total: 0, sumMinor: 0, next: null };

async function showList(
  { operations, views }: ConsoleContext,
  { person, show }: ConsoleCall,
  { title = 'Payments', filters = {}, searched = [], isSearch = false, sums, ...view }: View,
): Promise<Response> {
  const { page = noPayments, q, exports, fault, typed, isLater } = view;
  const scope = getScope(person);
  const own = await views.list(person.accountId);
  const isOfAll = scope.merchantId === null;
  const clock = clockFor(operations, person, filters.merchant);
  const next = page.next !== null && `${paymentsPath}${toQuery({ ...filters, q, after: page.next })}`;
  const body = (
    <>
      <div class="line between">
        <h1>{title}</h1>
        <div class="line actions">
          {!isSearch && <SavedViews views={own} filters={filters} />}
          {exports && page.total > 0 && <ExportLinks paths={exports} total={page.total} />}
        </div>
      </div>
      {!isSearch && (
        <FilterBar
          {...{ texts: filters, sums, scope, fault }}
          merchants={operations.merchantIds()}
          channels={operations.channelIds(scope.merchantId)}
          people={isOfAll ? await assignableNames(operations) : []}
        />
      )}
      {view.page && (
        <>
          <Table
            {...paymentTable(title, page.data, maskedNumbers, {
              ...{ ...clock, hasMerchants: isOfAll, hasNetworks: true },
              note: (rows) => describeDay(sums, rows),
            })}
            empty={<NoPayments searched={searched} isOfAll={isOfAll} isSearch={isSearch} />}
          />
          <div class="line between">
            {page.total > 0 && (
              <p class="footer muted">
                {page.data.length} of {page.total}, sum of prices {showAmount(page.sumMinor)},{' '}
                {nameZone(clock.timeZone)}
              </p>
            )}
            {(next || isLater) && (
              <nav class="line" aria-label="Pages">
                {isLater && (
                  <a class="button quiet" href={`${paymentsPath}${toQuery({ ...filters, q })}`} rel="first">
                    First page
                  </a>
                )}
                {next && (
                  <a class="button" href={next} rel="next">
                    Next page
                    <Icon name="right" />
                  </a>
                )}
              </nav>
            )}
          </div>
        </>
      )}
      {sums && page.total > 0 && <SumsTable sums={sums} status={filters.status} />}
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
  return show({
    ...{ title, hasOwnHeading: true, message: fault?.message, body, status: view.page ? 200 : 422 },
    ...(typed !== undefined && {
      search: { text: maskedNumbers.text(typed), isRefused: fault !== undefined },
    }),
  });
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
