import type { AccountRole } from '../../../contract/staff/account.ts';
import type { SavedView } from '../../accounts/saved-view-store.ts';
import type { CollectionPage } from '../../support/page.ts';
import type { Scope } from '../../support/scope.ts';
import type { ExportPaths } from '../list/export-routes.tsx';
import { type FilterName, type FilterTexts, listPath, statuses } from '../list/filter.ts';
import { SavedViews } from '../list/saved-views.tsx';
import { amountMeaning } from '../list/searched-words.ts';
import type { NumberView } from '../numbers.ts';
import { Message } from '../page.tsx';
import { hasFilter } from '../scope.ts';
import { ExportLinks } from './export-links.tsx';
import { showAmount, statusWords } from './format.ts';
import { PaymentTable } from './payment-table.tsx';
import { Tabs } from './tabs.tsx';

/** What the list of payments shows. */
export type ListView = {
  /** `Payments`, or what was searched for. */
  title: string;
  page: CollectionPage & { notSearched?: number };
  filters: FilterTexts;
  numbers: NumberView;
  role: AccountRole;
  scope: Scope;
  /** The path of the next page; absent on the last one. */
  nextPath?: string | undefined;
  /** The paths of the list as a file; absent for a list without an address of its own. */
  exports?: ExportPaths | undefined;
  message?: string | undefined;
  /** Whether the payments are the result of a search for a term, which filters do not narrow down. */
  isSearch?: boolean;
  /** What was searched, in words. */
  searched?: readonly string[];
  /** The merchants to choose from. */
  merchants?: readonly string[] | undefined;
  /** The saved views of the person. */
  views?: readonly SavedView[] | undefined;
};

/** The content of the list, below its title. */
export function ListPage(view: ListView) {
  const {
    title,
    page,
    filters,
    numbers,
    role,
    scope,
    nextPath,
    exports,
    message,
    isSearch = false,
    searched = [],
    merchants = [],
    views = [],
  } = view;
  const isOfAll = scope.merchantId === null;
  return (
    <>
      <Tabs group="lists" role={role} current="GET /payments" />
      <Message text={message} />
      <FilterForm filters={filters} scope={scope} merchants={merchants} />
      {!isSearch && <SavedViews views={views} filters={filters} />}
      {page.data.length > 0 ? (
        <PaymentTable caption={title} rows={page.data} numbers={numbers} />
      ) : (
        <Nothing searched={searched} />
      )}
      <p class="footer">
        {page.data.length} of {page.total}, sum of prices {showAmount(page.sumMinor)}
        {nextPath !== undefined && (
          <>
            {' '}
            <a href={nextPath} rel="next">
              Next page
            </a>
          </>
        )}
      </p>
      {exports !== undefined && page.total > 0 && <ExportLinks paths={exports} total={page.total} />}
      {(page.notSearched ?? 0) > 0 && (
        <p class="note">
          {isSearch
            ? `Parts of references and amounts were not searched in ${page.notSearched} older payments. Filters find them.`
            : `${page.notSearched} older payments were not searched. Set the ${isOfAll ? 'first' : 'last'} day to search them.`}
        </p>
      )}
      {isSearch && isOfAll && (
        <p class="note">
          Money without a payment is not searched here. Search it under{' '}
          <a href="/console/unplaced">Unplaced money</a>.
        </p>
      )}
    </>
  );
}

/** Says what a list without a payment has searched. */
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

type Field = readonly [name: FilterName, label: string, type: 'text' | 'date'];

const shownFields: readonly Field[] = [
  ['from', 'First day', 'date'],
  ['to', 'Last day', 'date'],
  ['last4', 'Last four digits', 'text'],
];

const moreFields: readonly Field[] = [
  ['min', 'Lowest amount', 'text'],
  ['max', 'Highest amount', 'text'],
  ['reason', 'Reason', 'text'],
  ['network', 'Network', 'text'],
  ['channel', 'Channel', 'text'],
  ['assigned', 'Assigned to', 'text'],
];

/** More merchants are typed. */
const maxChoices = 100;

type FormProps = Pick<ListView, 'filters' | 'scope'> & { merchants: readonly string[] };

/** The filters as a form. The less usual ones are shown while one of them is set. */
function FilterForm({ filters, scope, merchants }: FormProps) {
  const isSet = Object.keys(filters).length > 0;
  const input = ([name, label, type]: Field) =>
    hasFilter(scope, name) && (
      <label>
        {label}
        <input name={name} type={type} value={filters[name] ?? ''} maxlength={64} />
      </label>
    );
  return (
    <form class="filters" method="get" action="/console/payments">
      <label>
        Status
        <select name="status">
          <option value="">any</option>
          {statuses.map((status) => (
            <option value={status} selected={filters.status === status}>
              {statusWords[status]}
            </option>
          ))}
        </select>
      </label>
      {hasFilter(scope, 'merchant') &&
        (merchants.length === 0 || merchants.length > maxChoices ? (
          input(['merchant', 'Merchant', 'text'])
        ) : (
          <label>
            Merchant
            <select name="merchant">
              <option value="">any</option>
              {[
                ...new Set([...merchants, ...(filters.merchant === undefined ? [] : [filters.merchant])]),
              ].map((id) => (
                <option selected={filters.merchant === id}>{id}</option>
              ))}
            </select>
          </label>
        ))}
      {shownFields.map(input)}
      <details open={moreFields.some(([name]) => filters[name] !== undefined)}>
        <summary>More filters</summary>
        {moreFields.map(input)}
        <small>Amount: {amountMeaning}.</small>
      </details>
      <p>
        <button type="submit">Show</button> {isSet && <a href={listPath({})}>Clear</a>}
      </p>
    </form>
  );
}
