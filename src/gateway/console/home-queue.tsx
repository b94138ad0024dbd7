import type { EpochMs } from '../../shared/clock.ts';
import { Icon, type IconName } from '../../shared/pages/icons.tsx';
import { plural } from '../../shared/plural.ts';
import { showShortReference } from '../../shared/short-reference.ts';
import { can, type Permission, type Person } from '../access/permissions.ts';
import { workPage } from './desk.tsx';
import type { Desk, WorkKind } from './desk-query.ts';
import type { Mention, Needs, OpenProposal, Refusal, Waiting } from './home-query.ts';
import { Card, Empty } from './parts/card.tsx';
import { showCount } from './parts/charts.tsx';
import { nameDecision, showAmount, showSpan, type Tone } from './parts/format.ts';
import { ButtonLink } from './parts/forms.tsx';
import { paymentPath, TableHead } from './parts/table.tsx';
import { subjectPath } from './proposals.tsx';

/** Everything that waits for a person. `days` is null where the person closes none. */
export type WaitingWork = {
  needs: Needs;
  days: { count: number; oldestAt: EpochMs | null } | null;
  newDeciders: number;
  /** The oldest work; null for people who may not see it. */
  desk: Desk | null;
  proposals: readonly OpenProposal[];
  /** What others refused to the person. */
  refusals: readonly Refusal[];
  mentions: readonly Mention[];
};

/** Rows of the queue. The counts above it, and the desk, have the others. */
export const maxQueueRows = 8;

/** What a person does about a piece of work. */
type Task = {
  icon: IconName;
  tone: Tone;
  verb: string;
  href: string;
  /** The first sentence, and what follows it. */
  lead: string;
  text?: string;
  where: string;
  since: EpochMs | null;
};

/** The work that waits for a person, as sentences with a verb, the oldest first. */
export function QueueCard({ queue, person, now }: { queue: WaitingWork; person: Person; now: EpochMs }) {
  const kinds = listKinds(queue, person);
  const total = kinds.reduce((sum, { count }) => sum + count, 0);
  const tasks = listTasks(queue, now);
  const choices = total > 0 && (
    <nav class="choices" aria-label="Kinds of work">
      {kinds
        .filter(({ count }) => count > 0)
        .map(({ words, count, href }) => (
          <a href={href}>
            {words} <small>{showCount(count)}</small>
          </a>
        ))}
    </nav>
  );
  return (
    <Card id="needs" title="Needs you" kind="wide" aside={choices}>
      {tasks.length === 0 ? (
        <Empty icon="paid" title="Nothing needs you." />
      ) : (
        <table class="list">
          <TableHead columns={['What', 'Where', ['Waits', 'n'], ['Action', 'unseen']]} />
          <tbody>
            {tasks.map((task) => (
              <TaskRow task={task} now={now} />
            ))}
          </tbody>
        </table>
      )}
      {total > tasks.length && can(person, 'cases.read') && (
        <p class="card-foot">
          <a href="/console/desk">Show the desk</a>
        </p>
      )}
    </Card>
  );
}

function TaskRow({ task, now }: { task: Task; now: EpochMs }) {
  const { icon, tone, verb, href, lead, text, where, since } = task;
  return (
    <tr>
      <td class="full">
        <span class={`task ${tone}`}>
          <Icon name={icon} />
        </span>{' '}
        <b>{lead}</b> {text}
      </td>
      <td class="rest">{where}</td>
      <td class="rest n" data-label="waits">
        {since === null ? '–' : showSpan(Math.max(0, now - since))}
      </td>
      <td class="n end">
        <ButtonLink href={href}>
          {verb}
          <span class="unseen">: {lead}</span>
        </ButtonLink>
      </td>
    </tr>
  );
}

type Kind = { words: string; count: number; href: string };

/** Returns the kinds of work that the person does, with how much of each waits. */
function listKinds({ needs, days, newDeciders, refusals, mentions }: WaitingWork, person: Person): Kind[] {
  const payments = new Set(mentions.map(({ collectionId }) => collectionId)).size;
  const kinds: [words: string, waiting: Pick<Waiting, 'count'>, right: Permission, href: string][] = [
    ['To decide', needs.reviews, 'cases.read', '/console/desk?kind=reviews'],
    ['To approve', needs.proposals, 'proposals.decide', '/console/proposals'],
    ['Refused', { count: refusals.length }, 'proposals.make', '/console/proposals?of=own'],
    ['New people who decide', { count: newDeciders }, 'proposals.decide', '/console/deciders'],
    ['To place', needs.unplaced, 'cases.read', '/console/unplaced'],
    ['Waiting too long', needs.overdue, 'cases.read', '/console/desk?kind=overdue'],
    ['The service decides', needs.service, 'cases.read', '/console/desk?kind=service'],
    ['Days to close', days ?? { count: 0 }, 'days.close', '/console/days'],
    ['Notifications failing', needs.endpoints, 'endpoints.read', '/console/endpoints'],
    ['Mentions', { count: payments }, 'account.own', '/console/me#mentions'],
  ];
  return kinds
    .filter(([, , right]) => can(person, right))
    .map(([words, { count }, , href]) => ({ words, count, href }));
}

const verbs: Readonly<Record<WorkKind, { verb: string; icon: IconName; tone: Tone }>> = {
  reviews: { verb: 'Decide', icon: 'decide', tone: 'review' },
  overdue: { verb: 'Check', icon: 'wait', tone: 'open' },
  unplaced: { verb: 'Place', icon: 'coins', tone: 'review' },
  events: { verb: 'Read', icon: 'not', tone: 'bad' },
  endpoints: { verb: 'Repair', icon: 'plug', tone: 'bad' },
  service: { verb: 'Read', icon: 'wait', tone: 'idle' },
};

/** Returns the work as tasks, the oldest first. At least half of the rows are for what only this person does, where there is as much. */
function listTasks(queue: WaitingWork, now: EpochMs): Task[] {
  const items = queue.desk ? workPage(queue.desk, now, { limit: maxQueueRows }).items : [];
  const work = items.map(({ kind, path, since, merchantId, amountMinor, why, takenBy, takePath }): Task => {
    const taken = takePath === null ? '' : ` · taken by ${takenBy ?? 'no one'}`;
    const [lead = '', ...rest] = leadOf(kind, amountMinor, why);
    return {
      ...{ ...verbs[kind], href: path ?? '/console/desk', since, where: `${merchantId}${taken}` },
      ...{ lead, text: rest.join(' ') },
    };
  });
  const own: Task[] = [
    ...queue.proposals.map(
      ({ id, outcome, proposedBy, proposedAt, merchantId, amountMinor }): Task => ({
        ...{ verb: 'Approve', icon: 'inbox', tone: 'open', href: `/console/proposals/${id}` },
        lead: `${proposedBy} proposes ${nameDecision(outcome, showAmount(amountMinor))}.`,
        ...{ where: merchantId, since: proposedAt },
      }),
    ),
    ...queue.refusals.map(
      ({ decidedBy, decidedAt, reason, merchantId, ...subject }): Task => ({
        ...{ verb: 'Propose again', icon: 'not', tone: 'review', href: subjectPath(subject) },
        ...{ lead: `${decidedBy} refused your proposal:`, text: `“${reason}”` },
        ...{ where: merchantId, since: decidedAt },
      }),
    ),
    ...newest(queue.mentions).map(
      ({ at, by, collectionId, shortReference }): Task => ({
        ...{ verb: 'Reply', icon: 'note', tone: 'idle', href: paymentPath(collectionId), since: at },
        ...{ lead: `${by} mentions you`, text: 'in a note.', where: showShortReference(shortReference) },
      }),
    ),
    ...(queue.days !== null && queue.days.count > 0 ? [dayTask(queue.days.count, queue.days.oldestAt)] : []),
    ...(queue.newDeciders > 0 ? [deciderTask(queue.newDeciders)] : []),
  ];
  const inOrder = (tasks: Task[]) =>
    tasks.toSorted((one, other) => (one.since ?? now) - (other.since ?? now));
  const first = inOrder(own).slice(0, Math.max(maxQueueRows / 2, maxQueueRows - work.length));
  return inOrder([...first, ...work.slice(0, maxQueueRows - first.length)]);
}

function dayTask(count: number, since: EpochMs | null): Task {
  const lead = count === 1 ? '1 day is not closed.' : `${count} days are not closed.`;
  return { verb: 'Close', icon: 'day', tone: 'open', href: '/console/days', lead, where: 'Days', since };
}

function deciderTask(count: number): Task {
  const lead = `${plural(count, 'new account')} may decide about money.`;
  return {
    verb: 'Accept',
    icon: 'people',
    tone: 'open',
    href: '/console/deciders',
    lead,
    where: '',
    since: null,
  };
}

/** Returns the sentences about a piece of work; the first one has the amount. */
function leadOf(kind: WorkKind, amountMinor: number | null, why: string): string[] {
  const amount = showAmount(amountMinor);
  switch (kind) {
    case 'reviews':
      return [`${amount}:`, why];
    case 'overdue':
      return [`${amount} has no result.`, why];
    case 'unplaced':
      return [`${amountMinor === null ? 'Money' : amount} belongs to no payment.`, why];
    default:
      return [why];
  }
}

/** The newest mention of each payment. */
function newest(mentions: readonly Mention[]): Mention[] {
  return [...Map.groupBy(mentions, ({ collectionId }) => collectionId).values()].flatMap(
    ([one]) => one ?? [],
  );
}
