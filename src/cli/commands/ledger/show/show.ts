import type { CollectionRow } from '../../../../gateway/collection/collection.ts';
import { type CollectionRecord, loadCollectionRecord } from '../../../../gateway/support/collection-query.ts';
import { assigneeOf } from '../../../../gateway/support/explain/assignee.ts';
import { explain } from '../../../../gateway/support/explain/explain.ts';
import { findNamed } from '../../../../gateway/support/find-query.ts';
import { timeline } from '../../../../gateway/support/timeline.ts';
import { UserError } from '../../../../shared/errors.ts';
import { formatCedis } from '../../../../shared/money.ts';
import { readShortReference } from '../../../../shared/short-reference.ts';
import type { Store } from '../../../../sqlite/store.ts';
import { oneLine, showTime } from '../../../terminal/output.ts';
import { paintFor } from '../../../terminal/terminal.ts';
import { printLedgerJson, readLedger } from '../read-ledger.ts';
import type { LedgerDeps, ShowOptions } from '../types.ts';
import { collectionReport } from './report.ts';

/** The maximum number of collections that are listed when a name identifies several. */
const maxNamed = 10;

/**
 * Prints one collection: as text, as JSON, or as a transcript.
 *
 * @throws UserError when the options contradict each other, or when the name does not identify
 * exactly one collection.
 */
export function showCollectionCommand(deps: LedgerDeps, name: string, options: ShowOptions): Promise<void> {
  const { json, asTranscript, masked, full } = options;
  if (full && !json) throw new UserError('--full needs --json');
  if (masked && !asTranscript) throw new UserError('--masked needs --as-transcript');
  if (json && asTranscript) throw new UserError('choose one of --json and --as-transcript');
  const { stdout, noColor } = deps;
  return readLedger(deps.database(options), async (store) => {
    const record = await loadNamed(store, name);
    if (asTranscript) {
      const { transcriptOfCollection } = await import('./transcript.ts');
      const head = (await deps.loadTranscriptHead?.(options, record.collection.channel)) ?? {};
      stdout.data.write(await transcriptOfCollection(store, record, head, masked === true));
      return;
    }
    const explanation = explain(record, deps.now?.() ?? record.collection.updatedAt);
    if (json) {
      const assignedTo = assigneeOf(record.actions) ?? null;
      printLedgerJson(stdout, { ...explanation, assignedTo, ...record, timeline: timeline(record) }, options);
    } else stdout.write(collectionReport(paintFor(stdout, noColor), record, explanation));
  });
}

/** Loads the only collection that the name identifies. @throws UserError when there is none, or there are several. */
async function loadNamed(store: Store, name: string): Promise<CollectionRecord> {
  const record = await loadCollectionRecord(store, name);
  if (record) return record;
  const found = await findNamed(store, name, { limit: maxNamed });
  const page = found === 'unknown_cursor' ? undefined : found;
  if (page && page.total > 1) {
    throw new UserError(
      [
        `${page.total} collections match ${name}${page.next === null ? '' : `. The newest ${maxNamed}`}:`,
        ...page.data.map((row) => `  ${describe(row)}`),
        `Show one by its id: dialtill ledger show ${page.data[0]?.id}`,
        ...(page.next === null ? [] : [`To list all of them, run: dialtill ledger find ${name}`]),
      ].join('\n'),
    );
  }
  const [only] = page?.data ?? [];
  const named = only && (await loadCollectionRecord(store, only.id));
  if (named) return named;
  if (readShortReference(name) === undefined && /^(?:[\s-]*\d){8}[\s-]*$/.test(name)) {
    throw new UserError(
      `${name} is not a valid short reference: one digit is wrong, or two neighbouring digits are swapped`,
    );
  }
  throw new UserError(`no collection ${name}. To find it, run: dialtill ledger find <number>`);
}

/** Returns what distinguishes a collection, in one line. */
function describe({
  id,
  merchantId,
  livemode,
  status,
  goodsMinor,
  reference,
  openedAt,
}: CollectionRow): string {
  const parts = [status, formatCedis(goodsMinor), oneLine(reference), `${showTime(openedAt)} UTC`];
  return `${id} (${merchantId}, ${livemode ? 'live' : 'test'})  ${parts.join('  ')}`;
}
