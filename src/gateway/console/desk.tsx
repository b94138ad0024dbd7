import type { EpochMs } from '../../shared/clock.ts';
import { maskedText } from '../../shared/msisdn.ts';
import { defaultTimeZone } from '../../shared/time-text.ts';
import { can } from '../access/permissions.ts';
import { type CollectionWithJob, computeTotal } from '../collection/collection.ts';
import { describeNextStep, getNextStep } from '../support/explain.ts';
import { getOutcome } from '../support/playbook/playbook.ts';
import { defineConsoleRoute } from './define-route.ts';
import { ageBuckets, type Desk, type DeskCursor, type WorkKind, workKinds } from './desk-query.ts';
import { eventPath } from './event.tsx';
import { Empty } from './parts/card.tsx';
import { nameDecision, showNumber, showSpan } from './parts/format.ts';
import { Back } from './parts/forms.tsx';
import { List, noPage } from './parts/list.tsx';
import { paymentPath, RowLink, Table, type TableProps } from './parts/table.tsx';
import { Assignee, unplacedWords } from './unplaced.tsx';

/** Rows of the list. The ages count what it does not show. */
const maxRows = 100;

export const deskRoutes = [
  defineConsoleRoute(
    'GET /desk',
    {
      needs: 'cases.read',
      menu: { group: 'Work', link: 'Desk', icon: 'decide', counts: { work: 'desk', by: 'payments.work' } },
    },
    async (call, context) => {
      const { person, query, reads, show } = call;
      const { livemode } = context.operations;
      const now = context.clock.now();
      const kind = workKinds.find((one) => one === query.kind);
      const kinds = workKinds.filter((one) => one !== 'endpoints' || can(person, 'endpoints.read'));
      const { after: cursor } = query;
      const after = cursor === undefined ? undefined : readCursor(cursor);
      if (after === null) return show(noPage);
      const desk = await reads.desk({ kinds, livemode, now, limit: maxRows + 1, after });
      const taker = can(person, 'payments.work') ? person.name : undefined;
      const { timeZone } = context.operations;
      const { items, next } = workPage(desk, now, { kind, limit: maxRows, timeZone });
      const counted = [`${items.length} of ${countWork(desk, kind)}, the oldest first`];
      if (cursor !== undefined) counted.push('after those of the page before');
      const body = (
        <>
          <Ages counts={desk.counts} kind={kind} />
          <List
            path="/console/desk"
            query={{ kind }}
            label="Work"
            caption={counted.join(', ')}
            columns={workColumns(now, taker)}
            rows={items}
            empty={
              <Empty icon="paid" title="Nothing waits.">
                <p>New work appears here when the page is loaded again.</p>
              </Empty>
            }
            next={next}
            isLater={cursor !== undefined}
            more={{ text: 'Next page' }}
          />
        </>
      );
      return show({ title: 'Desk', body });
    },
  ),
];

/** Returns the time zone of a merchant. */
type ZoneOf = (merchantId: string) => string;

/** Returns the oldest work of a kind, or of all, at most `limit`, and the cursor of the rest; undefined without any. */
export function workPage(
  desk: Desk,
  now: EpochMs,
  { kind, limit, timeZone }: { kind?: WorkKind | undefined; limit: number; timeZone?: ZoneOf },
): { items: WorkItem[]; next: string | undefined } {
  const found = workItems(
    kind === undefined ? desk : { ...desk, ...without(kind) },
    { now, timeZone },
    limit + 1,
  );
  const items = found.slice(0, limit);
  const last = found.length > limit ? items.at(-1) : undefined;
  return { items, next: last && `${last.since}.${last.id}` };
}

/** Reads a cursor; null for another text. */
export function readCursor(text: string): DeskCursor | null {
  const [, since, id] = /^(\d{1,15})\.(.{1,400})$/.exec(text) ?? [];
  return since && id ? { since: Number(since), id } : null;
}

/** Returns no rows of any other kind. */
function without(kind: (typeof workKinds)[number]): Partial<Record<(typeof workKinds)[number], []>> {
  return Object.fromEntries(workKinds.filter((one) => one !== kind).map((one) => [one, []]));
}

function countWork({ counts }: Desk, kind: WorkKind | undefined): number {
  const shown: readonly WorkKind[] = kind === undefined ? workKinds : [kind];
  return shown.reduce((sum, one) => sum + computeSum(counts[one] ?? []), 0);
}

/** `taker`: the name of the person who can take work; undefined for one who only reads. */
function workColumns(now: EpochMs, taker: string | undefined): TableProps<WorkItem>['columns'] {
  const waits = ({ since }: WorkItem) => showSpan(Math.max(0, now - since));
  return [
    [
      'Waits',
      (item) => (item.path === null ? waits(item) : <RowLink href={item.path}>{waits(item)}</RowLink>),
      'first',
    ],
    [
      'What',
      (item) => (
        <>
          {kindWords[item.kind]}
          <br />
          <small>{item.merchantId}</small>
        </>
      ),
      'plain',
    ],
    ['GHS', ({ amountMinor }) => showNumber(amountMinor), 'sum'],
    [
      'Why',
      ({ why, next }) => (
        <>
          {why}
          {next !== '' && (
            <>
              <br />
              <small>{next}</small>
            </>
          )}
        </>
      ),
      'text',
    ],
    ['Taken by', ({ takePath, takenBy }) => <Assignee path={takePath} by={takenBy} taker={taker} />, 'links'],
    [
      'Proposal',
      ({ proposal }) =>
        proposal && (
          <a href={`/console/proposals/${proposal.id}`}>
            {proposal.proposedBy} proposes {nameDecision(proposal.outcome, 'it')}
          </a>
        ),
      'links',
    ],
  ];
}

const computeSum = (counts: readonly number[]) => counts.reduce((sum, one) => sum + one, 0);

/** The number of each kind of work by its age. */
function Ages({ counts, kind }: { counts: Desk['counts']; kind: WorkKind | undefined }) {
  const kinds = workKinds.filter((one) => counts[one] !== undefined);
  return (
    <>
      {kind !== undefined && <Back path="/console/desk" text="All work" />}
      <Table
        label="Work by age"
        columns={[
          [
            'Work',
            (one) => (
              <a href={`/console/desk?kind=${one}`} aria-current={kind === one ? 'true' : undefined}>
                {kindWords[one]}
              </a>
            ),
          ],
          ...ageBuckets.map(
            ({ label }, at) => [label, (one: WorkKind) => counts[one]?.[at] || '–', 'amount'] as const,
          ),
        ]}
        hasRowHeads
        rows={kinds}
      />
    </>
  );
}

type WorkItem = {
  kind: WorkKind;
  /** Its order among work of the same time. */
  id: string;
  /** Its page; null without one. */
  path: string | null;
  since: EpochMs;
  merchantId: string;
  amountMinor: number | null;
  /** The reason for waiting, in words. */
  why: string;
  /** The next step without a person; empty without one. */
  next: string;
  /** The path of what people take; null for other work. */
  takePath: string | null;
  takenBy: string | null;
  proposal: Desk['proposals'][number] | null;
};

const kindWords: Readonly<Record<WorkKind, string>> = {
  reviews: 'To decide',
  overdue: 'Waiting too long',
  unplaced: 'Unplaced money',
  events: 'Events not handled',
  endpoints: 'Notifications failing',
  service: 'The service decides',
};

/** Returns the oldest work, at most `limit`. */
function workItems(
  desk: Desk,
  { now, timeZone = () => defaultTimeZone }: { now: EpochMs; timeZone?: ZoneOf | undefined },
  limit: number,
): WorkItem[] {
  const findProposal = (id: string) => desk.proposals.find(({ subjectId }) => subjectId === id) ?? null;
  const ofPayment = (kind: WorkKind, row: CollectionWithJob): WorkItem => ({
    ...{ kind, id: row.id, path: paymentPath(row.id), since: row.openedAt, merchantId: row.merchantId },
    ...{
      amountMinor: computeTotal(row),
      why: getOutcome(row).happened,
      next: getNext(row, now, timeZone(row.merchantId)),
    },
    ...{
      takePath: `${paymentPath(row.id)}/assign`,
      takenBy: desk.takenBy[row.id] ?? null,
      proposal: findProposal(row.id),
    },
  });
  const items: WorkItem[] = [
    ...desk.reviews.map((row) => ofPayment('reviews', row)),
    ...desk.overdue.map((row) => ofPayment('overdue', row)),
    ...desk.service.map((row) => ofPayment('service', row)),
    ...desk.unplaced.map(
      (row): WorkItem => ({
        ...{ kind: 'unplaced', id: row.id, path: `/console/unplaced/${row.id}`, since: row.receivedAt },
        ...{ merchantId: row.merchantId, amountMinor: row.amountMinor, why: unplacedWords(row), next: '' },
        ...{ takePath: `/console/unplaced/${row.id}/assign`, takenBy: desk.takenBy[row.id] ?? null },
        proposal: findProposal(row.id),
      }),
    ),
    ...desk.events.map(
      ({ eventId, merchantId, type, sessionId, receivedAt }): WorkItem => ({
        ...{ kind: 'events', id: `${eventId}:${merchantId}`, since: receivedAt, merchantId },
        path: eventPath({ merchantId, eventId }),
        ...{ amountMinor: null, takePath: null, takenBy: null, proposal: null },
        why: maskedText(
          `The event ${eventId} (${type}${sessionId === null ? '' : ` of ${sessionId}`}) could not be handled.`,
        ),
        next: 'Nothing: its page says what to do.',
      }),
    ),
    ...desk.endpoints.map(
      ({ id, merchantId, failingSince, disabledAt }): WorkItem => ({
        ...{
          kind: 'endpoints',
          id,
          path: `/console/endpoints/${id}`,
          since: failingSince ?? disabledAt ?? now,
        },
        ...{ merchantId, amountMinor: null, takePath: null, takenBy: null, proposal: null },
        why: disabledAt === null ? 'An endpoint accepts no notification.' : 'An endpoint was disabled.',
        next: disabledAt === null ? 'The gateway tries again.' : '',
      }),
    ),
  ];
  return items
    .toSorted((one, other) => one.since - other.since || (one.id < other.id ? -1 : 1))
    .slice(0, limit);
}

/** The next step of a payment that only waits for a person is no news. */
function getNext(row: CollectionWithJob, now: EpochMs, timeZone: string): string {
  const step = getNextStep(row);
  return step.kind === 'decision' || step.kind === 'none'
    ? ''
    : describeNextStep(step, now, timeZone, timeZone !== defaultTimeZone);
}
