import type { Child } from 'hono/jsx';
import { Icon } from '../../../shared/pages/icons.tsx';
import { notFoundPage } from './card.tsx';
import { ExportLinks, type ExportPaths } from './exports.tsx';
import { type ListQuery, toQuery } from './format.ts';
import { Options } from './forms.tsx';
import { Table, type TableProps } from './table.tsx';

/** Rows on one page of a list. */
export const pageRows = 50;

/** The page of a cursor that no longer exists. */
export const noPage = notFoundPage(
  'No such page',
  'The page before it no longer exists. Start with the first page.',
);

/** Reads the cursor of a list whose rows have a number. Another text is the first page. */
export function readBefore(before = ''): number | undefined {
  return /^\d{1,15}$/.test(before) ? Number(before) : undefined;
}

/** A filter of a list: one of some choices, or a text. */
export type Filter = { name: string; label: string } & (
  | {
      /** The words of no choice. */
      any: string;
      choices: readonly (readonly [value: string, words?: string])[];
    }
  | { type?: 'text' | 'date'; pattern?: string; title?: string; autocapitalize?: 'none' }
);

type FiltersProps = {
  path: string;
  query: ListQuery;
  filters: readonly (Filter | false)[];
  /** The less usual ones, which are shown while one of them is set, with a hint. */
  more?: { filters: readonly (Filter | false)[]; hint: string };
  /** True when there is a link to the list without filters. */
  canClear?: boolean;
};

/** The longest text of a filter. */
const maxLength = 64;

/** The filters of a list as a form. The less usual ones are folded. */
function Filters({ path, query, filters, more, canClear = false }: FiltersProps) {
  const fields = (all: readonly (Filter | false)[]) =>
    all.map((one) => one !== false && <FilterField filter={one} value={query[one.name]} />);
  const used = more?.filters.filter((one) => one !== false && query[one.name] !== undefined).length ?? 0;
  return (
    <form class="filters stack tight" method="get" action={path}>
      <div class="line filter-line">
        {fields(filters)}
        <button type="submit">Show</button>
        {canClear && (
          <a class="button quiet" href={path}>
            Clear all filters
          </a>
        )}
      </div>
      {more && (
        <details class="drop">
          <summary class="button">
            <Icon name="funnel" />
            More filters
            {used > 0 && (
              <span class="count">
                {used}
                <span class="unseen"> in use</span>
              </span>
            )}
          </summary>
          <div class="card form">
            <div class="fields">{fields(more.filters)}</div>
            <small>{more.hint}</small>
            <button type="submit">Show</button>
          </div>
        </details>
      )}
    </form>
  );
}

function FilterField({ filter, value }: { filter: Filter; value: string | undefined }) {
  const { label, name } = filter;
  if (!('choices' in filter)) {
    const { type = 'text', label: _, ...input } = filter;
    return (
      <label class="field">
        <span>{label}</span>
        <input {...input} type={type} value={value ?? ''} maxlength={maxLength} />
      </label>
    );
  }
  return (
    <label class="field">
      <span>{label}</span>
      <select name={name}>
        <option value="">{filter.any}</option>
        <Options choices={filter.choices} value={value} />
      </select>
    </label>
  );
}

export type ListProps<Row> = TableProps<Row> & {
  path: string;
  /** Its filters, which the next page has too. */
  query?: ListQuery;
  /** The filters as a form; absent for a list without one. */
  filters?: Omit<FiltersProps, 'path' | 'query'> & { path?: string };
  /** The content between the filters and the rows. */
  children?: Child;
  /** The number of shown rows, and of all. It states when a list is cut. */
  count?: Child;
  /** The cursor of the next page; null on the last one. */
  next: string | number | null | undefined;
  /** True for a page after the first one, which then has a link to it. */
  isLater?: boolean;
  /** The link to the next page, and the name of the cursor in its address. */
  more?: { text?: string; cursor?: 'after' | 'before' };
  /** The paths of the list as a file; absent for one that has none. */
  exports?: ExportPaths | undefined;
  /** The rows of that file, where they are counted. */
  total?: number | undefined;
};

/** A list: its filters, a page of its rows, the way to the next page, and the file of all rows. */
export function List<Row>(list: ListProps<Row>) {
  const { path, query = {}, filters, children, count, next, isLater, more = {}, ...shown } = list;
  const { exports, total, ...table } = shown;
  const { text = 'Next page', cursor = 'after' } = more;
  const link = next != null && (
    <a href={`${path}${toQuery({ ...query, [cursor]: String(next) })}`} rel="next" class="button">
      {text}
      <Icon name="right" />
    </a>
  );
  return (
    <>
      {filters && <Filters {...{ path, query, ...filters }} />}
      {children}
      <Table {...table} />
      {(count !== undefined || link || isLater) && (
        <div class="line between">
          {count !== undefined && <p class="muted">{count}</p>}
          {(link || isLater) && (
            <span class="line">
              {isLater && (
                <a href={`${path}${toQuery(query)}`} rel="first" class="button quiet">
                  First page
                </a>
              )}
              {link}
            </span>
          )}
        </div>
      )}
      {exports && <ExportLinks paths={exports} total={total} />}
    </>
  );
}

/** Merchants of one choice. With more, the name is typed. */
const maxListed = 200;

type MerchantChoiceProps = {
  path: string;
  ids: readonly string[];
  chosen: string | undefined;
  children?: Child;
};

/** The choice of a merchant above figures. The other fields of the form are its children. */
export function MerchantChoice({ path, ids, chosen, children }: MerchantChoiceProps) {
  return (
    <form class="line filters" method="get" action={path}>
      {children}
      {ids.length > 0 && <MerchantSelect ids={ids} chosen={chosen} />}
      <button type="submit">Show</button>
    </form>
  );
}

function MerchantSelect({ ids, chosen }: Pick<MerchantChoiceProps, 'ids' | 'chosen'>) {
  return (
    <>
      <label class="unseen" for="merchant">
        Merchant
      </label>
      {ids.length > maxListed ? (
        <input id="merchant" name="merchant" value={chosen} placeholder="All merchants" maxlength={64} />
      ) : (
        <select id="merchant" name="merchant">
          <Options
            choices={[['', 'All merchants'], ...ids.map((id) => [id, id] as const)]}
            value={chosen ?? ''}
          />
        </select>
      )}
    </>
  );
}
