import { timelineLines } from '../../src/cli/commands/ledger/show.ts';
import { timelineItems } from '../../src/gateway/console/payment-timeline.tsx';
import { loadCollectionRecord } from '../../src/gateway/support/collection-query.ts';
import { explain } from '../../src/gateway/support/explain.ts';
import { sessionEndWords } from '../../src/gateway/support/session-end.ts';
import { loadSession } from '../../src/gateway/support/session-query.ts';
import { type TimelineEntry, timeline, turnEntries } from '../../src/gateway/support/timeline.ts';
import type { EpochMs } from '../../src/shared/clock.ts';
import { localForm, type Msisdn } from '../../src/shared/msisdn.ts';
import type { Store } from '../../src/sqlite/store.ts';
import { readDatabase } from '../../src/testing/programs.ts';

/** One payment, or one dialogue without a payment, of the phone that pays. */
type Chapter = { phone: string; at: EpochMs; title: string; entries: TimelineEntry[] };

/** Returns what a ledger says happened: by payer, and then in the order of time, as the console shows a payment. */
export async function explainLedger(file: string): Promise<string> {
  const chapters = await readDatabase(file, readChapters);
  const phones = Map.groupBy(chapters, ({ phone }) => phone);
  const sections = [...phones].map(([phone, own]) => {
    const shown = own.toSorted((a, b) => a.at - b.at).map(chapterText);
    return [`payer ${localForm(phone as Msisdn)}`, ...shown].join('\n\n');
  });
  return `${sections.join('\n\n\n')}\n`;
}

async function readChapters(store: Store): Promise<Chapter[]> {
  const opened = await column(store, 'SELECT id FROM collection ORDER BY opened_at, id');
  const dialogues = await column(
    store,
    `SELECT DISTINCT dialogue_id FROM turn
     WHERE dialogue_id NOT IN (SELECT dialogue_id FROM collection) ORDER BY dialogue_id`,
  );
  const chapters: Chapter[] = [];
  for (const id of opened) {
    const record = await loadCollectionRecord(store, id);
    if (!record) continue;
    const { payer, openedAt, updatedAt } = record.collection;
    const { summary, nextStep } = explain(record, updatedAt, localForm);
    const title = `${id}: ${summary} ${nextStep.text}`;
    chapters.push({ phone: payer, at: openedAt, title, entries: timeline(record) });
  }
  for (const id of dialogues) {
    const session = await loadSession(store, id);
    if (!session) continue;
    const { dialler, startedAt, end } = session.summary;
    const entries = session.turns.flatMap((turn) => turnEntries(turn, { payer: dialler }));
    chapters.push({ phone: dialler, at: startedAt, title: `${id}: ${sessionEndWords[end]}.`, entries });
  }
  return chapters;
}

const column = async (store: Store, sql: string) =>
  ((await store.query(sql, [], 'rows')) as [string][]).map(([id]) => id);

const wholeNumbers: Parameters<typeof timelineItems>[1] = {
  phone: localForm,
  text: (text) => text,
  shown: 'whole',
};

function chapterText({ title, entries }: Chapter): string {
  const items = timelineItems(entries, wholeNumbers);
  const lines = items.map(({ count, gap, text, ...item }) => {
    const counted = count > 1 ? `${text} (${count} polls)` : text;
    const line = timelineLines((_, plain) => plain, { ...item, text: counted });
    return gap === null ? line : `  ... ${gap}\n${line}`;
  });
  return [title, ...lines].join('\n');
}
