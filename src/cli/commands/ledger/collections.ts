import type { UnplacedView } from '../../../contract/staff/unplaced.ts';
import { type CollectionRow, isUnconfirmed } from '../../../gateway/collection/collection.ts';
import type { CollectionPage } from '../../../gateway/support/page.ts';
import { isShortId, minIdCharacters } from '../../../gateway/support/search-term.ts';
import { UsageError } from '../../../shared/errors.ts';
import { formatCedis } from '../../../shared/money.ts';
import { findMsisdn, localForm } from '../../../shared/msisdn.ts';
import { plural } from '../../../shared/plural.ts';
import { showTime } from '../../../shared/time-text.ts';
import {
  addPageOptions,
  type CommandGroup,
  type CommandHelp,
  fullHelp,
  type PageOptions,
  readPageRequest,
} from '../../command-options.ts';
import {
  printLedgerJson,
  type ReadDeps,
  type ReadOptions,
  readPage,
  readTimeZone,
} from '../../open-reads.ts';
import { type Paint, pageFooter, printable, table } from '../../terminal/output.ts';
import { addFilterOptions, type FilterOptions, readFilterOptions } from './filter-options.ts';

export type PagedOptions = ReadOptions & PageOptions;

/** Adds an option for whole rows to a list with pages. */
export function addList({ addRead }: CommandGroup, help: CommandHelp) {
  return addPageOptions(addRead(help)).option('--full', fullHelp);
}

export function registerCollections(ledger: CommandGroup, deps: ReadDeps): void {
  addList(ledger, {
    usage: 'find <term...>',
    description:
      'find collections by phone number or its last digits, reference or a part of it, short reference, amount, collection id or payment session id, and unplaced payments by phone number, reference or id; the start of an id is enough; filters such as status:paid stand for the options of list',
    examples: [
      'find 0244123456',
      'find 3456',
      'find KA1024',
      'find 4821 7362',
      'find 20.50',
      'find pay_01k8n2rm',
      'find status:unpaid from:2026-03-06T09:00 to:2026-03-06T10:30',
    ],
  }).action((words: string[], options: PagedOptions) => find(deps, words.join(' '), options));

  addFilterOptions(
    addList(ledger, {
      usage: 'list',
      description:
        'list the collections that match every filter, newest first, with their count and the sum of their prices',
      examples: [
        'list --status review --from 2026-03-01',
        'list --from 2026-03-06T09:00 --to 2026-03-06T10:30 --min 20 --max 25',
        'list --status failed --reason declined --network mtn --limit 20',
        'list --merchant demo-shop --last4 3456 --json',
      ],
    }),
  ).action((options: PagedOptions & FilterOptions) => list(deps, options));

  addList(ledger, {
    usage: 'reviews',
    description: 'list the collections in review, newest first: a person must decide about them',
    examples: ['reviews', 'reviews --limit 20'],
  }).action((options: PagedOptions) => listInReview(deps, options));
}

/** Prints the collections and the unplaced payments that match a search term. @throws UserError when the cursor is unknown. */
async function find(deps: ReadDeps, term: string, options: PagedOptions): Promise<void> {
  if (term.trim() === '')
    throw new UsageError(
      'expected a search term, such as 0244123456. To list all, run: dialtill ledger list',
    );
  const { stdout } = deps;
  const input = { term, ...readPageRequest(options) };
  const page = await readPage(deps, options, ['find', input], 'collection');
  if (options.json) return printLedgerJson(stdout, page, options);
  const { unplaced, notSearched } = page;
  const timeZone = await readTimeZone(deps, options, merchantsOf([...page.data, ...unplaced.data]));
  if (page.total > 0) stdout.write(collectionPageText(stdout.paint, page, timeZone));
  else stdout.write(`no collection found for ${term}${shortIdHint(term)}\n`);
  if (unplaced.total > 0) {
    const shown = `shown: ${unplaced.data.length} of ${plural(unplaced.total, 'unplaced payment')}\n`;
    stdout.write(formatUnplaced(stdout.paint, unplaced.data, timeZone) + shown);
  }
  const msisdn = findMsisdn(term);
  if (page.total === 0 && msisdn !== undefined)
    stdout.write(`To see its dialogues, run: dialtill ledger caller ${localForm(msisdn)}\n`);
  if (notSearched > 0)
    stdout.write(
      `not searched: parts of references and amounts in ${plural(notSearched, 'older collection')}. To narrow them down, run: dialtill ledger list\n`,
    );
}

/** Says why the start of an id found nothing, when it is too short; otherwise empty. */
export const shortIdHint = (term: string): string =>
  isShortId(term)
    ? `: the start of an id needs ${minIdCharacters} characters after ${term.slice(0, 'col_'.length)}`
    : '';

/** Prints the collections that match the filters. @throws UserError when an option is invalid. */
async function list(deps: ReadDeps, options: PagedOptions & FilterOptions): Promise<void> {
  const { merchant } = options;
  const timeZone = merchant === undefined ? undefined : await readTimeZone(deps, options, [merchant]);
  const input = { filter: readFilterOptions(options, deps.now?.(), timeZone), ...readPageRequest(options) };
  const page = await readPage(deps, options, ['collections', input], 'collection');
  printCollections(deps, { ...options, timeZone }, page, 'no collection found');
  if (!options.json && page.notSearched > 0)
    deps.stdout.write(
      `not searched: ${plural(page.notSearched, 'older collection')}. To search them, add --from\n`,
    );
}

/** Prints the collections that a person must decide about. @throws UserError when the cursor is unknown. */
async function listInReview(deps: ReadDeps, options: PagedOptions): Promise<void> {
  const input = readPageRequest(options);
  const page = await readPage(deps, options, ['inReview', input], 'collection');
  const timeZone = options.json ? undefined : await readTimeZone(deps, options, merchantsOf(page.data));
  printCollections(deps, { ...options, timeZone }, page, 'no collections in review');
}

const merchantsOf = (rows: readonly { merchantId: string }[]) => rows.map(({ merchantId }) => merchantId);

function printCollections(
  { stdout }: ReadDeps,
  { timeZone, ...options }: PagedOptions & { timeZone?: string | undefined },
  page: CollectionPage,
  none: string,
): void {
  if (options.json) printLedgerJson(stdout, page, options);
  else if (page.total > 0) stdout.write(collectionPageText(stdout.paint, page, timeZone));
  else stdout.write(`${none}\n`);
}

function collectionPageText(paint: Paint, page: CollectionPage, timeZone?: string): string {
  const sum = `, sum of all prices ${formatCedis(page.sumMinor)}`;
  return `${collectionTable(paint, page.data, timeZone)}${pageFooter(page, 'collection', sum)}`;
}

/** Formats collections, one per line. A column names the phones that dialled, where one of them is not the payer's. */
function collectionTable(paint: Paint, rows: readonly CollectionRow[], timeZone?: string): string {
  const isByOther = ({ payer, dialler }: CollectionRow) => payer !== dialler;
  const hasDiallers = rows.some(isByOther);
  const dialler = (row: CollectionRow) => (isByOther(row) ? localForm(row.dialler) : '-');
  const lines = rows.map((row) => [
    row.id,
    isUnconfirmed(row) ? 'paid, unconfirmed' : row.status,
    formatCedis(row.goodsMinor),
    localForm(row.payer),
    ...(hasDiallers ? [dialler(row)] : []),
    row.reference,
    showTime(row.openedAt, timeZone),
    reasons(row),
  ]);
  const head = ['collection', 'status', 'price', 'payer'];
  if (hasDiallers) head.push('dialled by');
  head.push('reference', `opened (${timeZone ?? 'UTC'})`, 'reason');
  return table(paint, [head, ...lines]);
}

/** A collection under review can have an earlier flag beside the reason of its status. */
function reasons({ status, review, reason }: CollectionRow): string {
  if (status !== 'review') return review ?? reason ?? '';
  return [...new Set([review, reason])].filter((one) => one !== null).join(', ');
}

export function formatUnplaced(paint: Paint, rows: readonly UnplacedView[], timeZone?: string): string {
  const lines = rows.map((row) => [
    row.id,
    row.merchantId,
    row.state,
    row.amountMinor === null ? 'not stated' : formatCedis(row.amountMinor),
    showTime(Date.parse(row.receivedAt), timeZone),
    printable(row.payer ?? row.reference ?? row.clientTransId ?? '-'),
    getNext(row),
  ]);
  const received = `received (${timeZone ?? 'UTC'})`;
  const head = ['payment', 'merchant', 'state', 'amount', received, 'payer or reference', 'next'];
  return table(paint, [head, ...lines]);
}

/** Describes where the payment is, or what can be done. */
function getNext({ collectionId, proposal, suggestions }: UnplacedView): string {
  if (collectionId !== null) return `placed on ${collectionId}`;
  if (proposal?.state === 'open')
    return `approve ${proposal.id} (${proposal.outcome} by ${proposal.proposedBy})`;
  const [best] = suggestions;
  return best ? `fits ${best.collectionId} (${best.agrees.join(', ')})` : '-';
}
