import {
  type CollectionRecord,
  findByShortReference,
  loadCollectionRecord,
} from '../../../gateway/support/collection-query.ts';
import { timeline } from '../../../gateway/support/timeline.ts';
import { UserError } from '../../../shared/errors.ts';
import { readShortReference } from '../../../shared/short-reference.ts';
import type { Store } from '../../../sqlite/store.ts';
import { printJson } from '../../terminal/output.ts';
import { paintFor } from '../../terminal/terminal.ts';
import { readLedger } from './read-ledger.ts';
import { collectionReport } from './show-report.ts';
import type { LedgerDeps, ShowOptions } from './types.ts';

/**
 * Prints one collection: as text, as JSON, or as a transcript.
 *
 * @throws UserError when the options contradict each other, or when the id or short reference does not name exactly one
 * collection.
 */
export function showCommand(deps: LedgerDeps, name: string, options: ShowOptions): Promise<void> {
  const { json, asTranscript, masked } = options;
  if (masked && !asTranscript) throw new UserError('--masked needs --as-transcript');
  if (json && asTranscript) throw new UserError('choose one of --json and --as-transcript');
  const { stdout, noColor } = deps;
  return readLedger(deps.databaseFile(options), async (store) => {
    const record = await loadNamed(store, name);
    if (asTranscript) {
      const { transcriptOfCollection } = await import('./show-transcript.ts');
      const head = (await deps.loadTranscriptHead?.(options, record.collection.channel)) ?? {};
      stdout.data.write(await transcriptOfCollection(store, record, head, masked === true));
    } else if (json) printJson(stdout, { ...record, timeline: timeline(record) });
    else stdout.write(collectionReport(paintFor(stdout, noColor), record));
  });
}

/** Loads the collection with this id, or else with this short reference. @throws UserError */
async function loadNamed(store: Store, name: string): Promise<CollectionRecord> {
  const record = await loadCollectionRecord(store, name);
  if (record) return record;
  const shortReference = readShortReference(name);
  if (shortReference === undefined && /^(?:[\s-]*\d){8}[\s-]*$/.test(name)) {
    throw new UserError(
      `${name} is not a valid short reference: one digit is wrong, or two neighbouring digits are swapped`,
    );
  }
  const found = shortReference === undefined ? [] : await findByShortReference(store, shortReference);
  const [only, ...others] = found;
  if (others.length > 0) {
    const all = found.map(
      ({ id, merchantId, livemode }) => `${id} (${merchantId}, ${livemode ? 'live' : 'test'})`,
    );
    throw new UserError(
      `${found.length} collections have the short reference ${name}: ${all.join(', ')}. Use the id`,
    );
  }
  const byReference = only && (await loadCollectionRecord(store, only.id));
  if (byReference) return byReference;
  throw new UserError(`no collection ${name}. To find it, run: dialtill ledger find <number>`);
}
