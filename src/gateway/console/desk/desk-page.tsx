import type { Child } from 'hono/jsx';
import type { EpochMs } from '../../../shared/clock.ts';
import type { PageContent } from '../define-route.ts';
import { queryOf } from '../list/filter.ts';
import { amountColumn, type Column, DataTable } from '../pages/data-table.tsx';
import { showAmount, showSpan } from '../pages/format.ts';
import { ageBuckets } from './age.ts';
import { type Desk, type WorkKind, workKinds } from './desk-query.ts';
import { Taken } from './taken.tsx';
import { kindWords, type WorkItem } from './work-items.ts';

export type DeskView = {
  items: readonly WorkItem[];
  counts: Desk['counts'];
  /** The only kind of the list; undefined for all. */
  kind: WorkKind | undefined;
  now: EpochMs;
  /** The name of the person who can take payments; undefined for one who only reads. */
  taker: string | undefined;
  /** The cursor of this page; undefined for the first one. */
  after: string | undefined;
  /** The cursor of the next page; undefined on the last one. */
  next: string | undefined;
};

/** Returns the page of the work that waits, by its age. */
export function deskPage(view: DeskView): PageContent {
  const { items, counts, kind, now, after, next } = view;
  const shown: readonly WorkKind[] = kind === undefined ? workKinds : [kind];
  const total = shown.reduce((sum, one) => sum + sumOf(counts[one] ?? []), 0);
  const body = (
    <>
      <Ages counts={counts} kind={kind} />
      {items.length === 0 ? (
        <p>Nothing waits.</p>
      ) : (
        <DataTable
          label="Work"
          caption={`${items.length} of ${total}, the oldest first${after === undefined ? '' : ', after those of the page before'}`}
          columns={[
            ...['Waits', 'What', amountColumn('Amount'), textColumn('Why'), textColumn('Next')],
            ...['Taken by', 'Proposal'],
          ]}
          rows={items.map((item) => cellsOf(item, now, view.taker))}
        />
      )}
      {next !== undefined && (
        <p>
          <a href={`/console/desk${queryOf({ kind, after: next })}`} rel="next">
            The next ones
          </a>
        </p>
      )}
    </>
  );
  return { title: 'Desk', body };
}

const sumOf = (counts: readonly number[]) => counts.reduce((sum, one) => sum + one, 0);

const textColumn = (name: string): Column => ({ name, kind: 'text' });

/** How much of each kind waits for how long. */
function Ages({ counts, kind }: Pick<DeskView, 'counts' | 'kind'>) {
  const kinds = workKinds.filter((one) => counts[one] !== undefined);
  return (
    <>
      {kind !== undefined && (
        <p>
          <a href="/console/desk">All work</a>
        </p>
      )}
      <DataTable
        label="Work by age"
        columns={['Work', ...ageBuckets.map(({ label }) => amountColumn(label))]}
        hasRowHeads
        rows={kinds.map((one) => [
          <a href={`/console/desk?kind=${one}`} aria-current={kind === one ? 'true' : undefined}>
            {kindWords[one]}
          </a>,
          ...(counts[one] ?? []).map((count) => (count === 0 ? '–' : count)),
        ])}
      />
    </>
  );
}

function cellsOf(item: WorkItem, now: EpochMs, taker: string | undefined): Child[] {
  const waits = showSpan(Math.max(0, now - item.since));
  const { kind, path, merchantId, amountMinor, why, next, proposal } = item;
  return [
    path === null ? waits : <a href={path}>{waits}</a>,
    <>
      {kindWords[kind]}
      <br />
      <small>{merchantId}</small>
    </>,
    showAmount(amountMinor),
    why,
    next,
    <Taken path={item.takePath} by={item.takenBy} taker={taker} />,
    proposal && (
      <a href={`/console/proposals/${proposal.id}`}>
        {proposal.outcome} by {proposal.proposedBy}
      </a>
    ),
  ];
}
