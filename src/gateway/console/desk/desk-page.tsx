import type { EpochMs } from '../../../shared/clock.ts';
import type { PageContent } from '../define-route.ts';
import { showAmount, showSpan } from '../pages/format.ts';
import { ageBuckets } from './age.ts';
import { type Desk, type WorkKind, workKinds } from './desk-query.ts';
import { kindWords, type WorkItem } from './work-items.ts';

export type DeskView = {
  items: readonly WorkItem[];
  counts: Desk['counts'];
  /** The only kind of the list; undefined for all. */
  kind: WorkKind | undefined;
  now: EpochMs;
  /** The name of the person who can take payments; undefined for one who only reads. */
  taker: string | undefined;
};

/** Returns the page of the work that waits, by its age. */
export function deskPage(view: DeskView): PageContent {
  const { items, counts, kind, now } = view;
  const shown: readonly WorkKind[] = kind === undefined ? workKinds : [kind];
  const total = shown.reduce((sum, one) => sum + sumOf(counts[one] ?? []), 0);
  const body = (
    <>
      <Ages counts={counts} kind={kind} />
      {items.length === 0 ? (
        <p>Nothing waits.</p>
      ) : (
        <section class="wide" aria-label="Work" tabindex={0}>
          <table>
            <caption>
              {items.length} of {total}, the oldest first
            </caption>
            <thead>
              <tr>
                <th scope="col">Waits</th>
                <th scope="col">What</th>
                <th scope="col" class="amount">
                  Amount
                </th>
                <th scope="col">Why</th>
                <th scope="col">Next</th>
                <th scope="col">Taken by</th>
                <th scope="col">Proposal</th>
              </tr>
            </thead>
            <tbody>
              {items.map((item) => (
                <Row item={item} now={now} taker={view.taker} />
              ))}
            </tbody>
          </table>
        </section>
      )}
    </>
  );
  return { title: 'Desk', body };
}

const sumOf = (counts: readonly number[]) => counts.reduce((sum, one) => sum + one, 0);

/** How much of each kind waits for how long. */
function Ages({ counts, kind }: Pick<DeskView, 'counts' | 'kind'>) {
  const kinds = workKinds.filter((one) => counts[one] !== undefined);
  return (
    <section class="wide" aria-label="Work by age" tabindex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">
              <a href="/console/desk" aria-current={kind === undefined ? 'true' : undefined}>
                All work
              </a>
            </th>
            {ageBuckets.map(({ label }) => (
              <th scope="col" class="amount">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {kinds.map((one) => (
            <tr>
              <th scope="row">
                <a href={`/console/desk?kind=${one}`} aria-current={kind === one ? 'true' : undefined}>
                  {kindWords[one]}
                </a>
              </th>
              {(counts[one] ?? []).map((count) => (
                <td class="amount">{count === 0 ? '–' : count}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Row({ item, now, taker }: { item: WorkItem; now: EpochMs; taker: string | undefined }) {
  const { kind, path, since, merchantId, amountMinor, why, next, proposal } = item;
  return (
    <tr>
      <td>
        <a href={path} data-row>
          {showSpan(Math.max(0, now - since))}
        </a>
      </td>
      <td>
        {kindWords[kind]}
        <br />
        <small>{merchantId}</small>
      </td>
      <td class="amount">{showAmount(amountMinor)}</td>
      <td class="text">{why}</td>
      <td class="text">{next}</td>
      <td>
        <Taken item={item} taker={taker} />
      </td>
      <td>
        {proposal && (
          <a href={`/console/proposals/${proposal.id}`}>
            {proposal.outcome} by {proposal.proposedBy}
          </a>
        )}
      </td>
    </tr>
  );
}

/** Who has the payment, or the button with which a person takes it. */
function Taken({ item: { paymentId, takenBy }, taker }: { item: WorkItem; taker: string | undefined }) {
  if (takenBy !== null) return <>{takenBy}</>;
  if (paymentId === null || taker === undefined) return null;
  return (
    <form method="post" action={`/console/payments/${paymentId}/assign`}>
      <input type="hidden" name="to" value={taker} />
      <button type="submit">Take it</button>
    </form>
  );
}
