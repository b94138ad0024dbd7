import { and, eq, or, type SQL, sql } from 'drizzle-orm';
import type { Store } from '../../sqlite/store.ts';
import { unplacedPayment } from '../database/schema.ts';
import {
  isNamedUnplaced,
  listUnplaced,
  readUnplacedPage,
  type UnplacedPage,
  type UnplacedPageRequest,
} from '../unplaced/list-query.ts';
import type { Scope } from './scope.ts';
import { readSearchTerm, type SearchTerm } from './search-term.ts';

/** The newest unplaced payments in which amounts, last digits and parts of references are searched. */
const maxScanned = 5_000;

export type UnplacedRequest = UnplacedPageRequest & {
  livemode: 0 | 1;
  /** What to search for, in every state; without it, the open ones are listed. */
  term?: string | undefined;
} & Pick<Scope, 'lastFour'>;

/** Lists the unplaced payments that wait, or those that a search finds, newest first. */
export function searchUnplaced(
  store: Store,
  { livemode, term, lastFour = false, ...page }: UnplacedRequest,
): Promise<UnplacedPage | 'unknown_cursor'> {
  if (term === undefined) return listUnplaced(store, { state: 'open', livemode }, page);
  const scanned = conditionsOfScan(readSearchTerm(term, { lastFour }));
  const isFound = or(
    isNamedUnplaced(term, { lastFour }),
    scanned.length === 0 ? undefined : isScanned(scanned),
  );
  return readUnplacedPage(store, and(eq(unplacedPayment.livemode, livemode), isFound), page);
}

/** No index has these properties. There is far less unplaced money than payments. */
function isScanned(conditions: readonly SQL[]): SQL {
  return sql`${unplacedPayment.id} IN (SELECT id FROM (
    SELECT id, amount_minor, payer, reference FROM ${unplacedPayment} ORDER BY received_at DESC LIMIT ${maxScanned}
  ) AS newest WHERE ${sql.join([...conditions], sql` OR `)})`;
}

function conditionsOfScan({ amountMinor, lastDigits, isPart, words }: SearchTerm): SQL[] {
  const contains = words.map(
    (word) =>
      sql`lower(newest.reference) LIKE ${`%${word.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`} ESCAPE '\\'`,
  );
  return [
    ...(amountMinor === undefined ? [] : [sql`newest.amount_minor = ${amountMinor}`]),
    ...(lastDigits === undefined ? [] : [sql`newest.payer LIKE ${`%${lastDigits}`}`]),
    ...(isPart && contains.length > 0 ? [sql`(${sql.join(contains, sql` AND `)})`] : []),
  ];
}
