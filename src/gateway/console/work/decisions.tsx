import type { ProposalPreview } from '../../../contract/staff/review.ts';
import { maskNumbers } from '../../../shared/mask-numbers.ts';
import type { Person } from '../../access/actor.ts';
import type { StaffDeps } from '../../staff/operation.ts';
import {
  approveProposal,
  refuseProposal,
  showProposal,
  withdrawProposal,
} from '../../staff/operations/decide-proposal.ts';
import { type ConsoleRoute, defineRoute, type PageContent, statusOf } from '../define-route.ts';
import { Message } from '../page.tsx';
import { amountColumn, DataTable } from '../pages/data-table.tsx';
import { showAmount } from '../pages/format.ts';
import { mayUse } from '../roles.ts';

const endings = { approve: approveProposal, refuse: refuseProposal, withdraw: withdrawProposal } as const;

type Ending = keyof typeof endings;

/** Returns the routes of proposals: one person proposes, another one sees the postings and approves. */
export function decisionRoutes({ operations }: { operations: StaffDeps }): ConsoleRoute[] {
  async function proposalPage(person: Person, id: string, message?: string): Promise<PageContent> {
    const answer = await showProposal(operations, { actor: person, id });
    if (!answer.ok)
      return { title: 'No such proposal', body: <Message text={answer.message} />, status: statusOf(answer) };
    const preview = answer.value;
    return {
      title: `Proposal: ${preview.proposal.outcome}`,
      body: <Proposal {...{ preview, person, message }} />,
    };
  }
  return [
    defineRoute('GET /proposals/:id', async ({ c, person, show }) =>
      show(await proposalPage(person, c.req.param('id') ?? '')),
    ),
    ...(Object.keys(endings) as Ending[]).map((ending) =>
      defineRoute(`POST /proposals/:id/${ending}`, async ({ c, person, show }) => {
        const id = c.req.param('id') ?? '';
        const answer = await endings[ending](operations, { actor: person, id });
        if (answer.ok) return c.redirect(`/console/proposals/${id}`, 303);
        return show({ ...(await proposalPage(person, id, answer.message)), status: statusOf(answer) });
      }),
    ),
  ];
}

type ProposalProps = { preview: ProposalPreview; person: Person; message?: string | undefined };

function Proposal({ preview: { proposal, postings, obstacle }, person, message }: ProposalProps) {
  const { id, subjectId, subjectKind, proposedBy, decidedBy } = proposal;
  const isOwn = proposedBy === person.name;
  const isOpen = proposal.state === 'open';
  return (
    <>
      <Message text={message} />
      <dl>
        <dt>State</dt>
        <dd>{decidedBy === null ? proposal.state : `${proposal.state} by ${decidedBy}`}</dd>
        <dt>About</dt>
        <dd>
          <a href={`/console/${subjectKind === 'collection' ? 'payments' : 'unplaced'}/${subjectId}`}>
            {subjectId}
          </a>
        </dd>
        {proposal.targetId !== null && (
          <>
            <dt>Payment</dt>
            <dd>
              <a href={`/console/payments/${proposal.targetId}`}>{proposal.targetId}</a>
            </dd>
          </>
        )}
        <dt>Proposed by</dt>
        <dd>
          {proposedBy}, {proposal.proposedAt}
        </dd>
        <dt>Evidence</dt>
        <dd>{maskNumbers(proposal.evidence)}</dd>
        <dt>Transfer</dt>
        <dd>{proposal.reference ?? '–'}</dd>
        <dt>Ends</dt>
        <dd>{proposal.endsAt}</dd>
      </dl>
      {isOpen && <Postings postings={postings} />}
      {isOpen && obstacle !== null && <p role="alert">It cannot be approved now: {obstacle}</p>}
      {isOpen && obstacle === null && !isOwn && mayUse(person.role, 'POST /proposals/:id/approve') && (
        <EndForm id={id} ending="approve" label="Approve" />
      )}
      {isOpen && isOwn && <EndForm id={id} ending="withdraw" label="Withdraw it" />}
      {isOpen && !isOwn && mayUse(person.role, 'POST /proposals/:id/refuse') && (
        <EndForm id={id} ending="refuse" label="Refuse it" />
      )}
    </>
  );
}

function EndForm({ id, ending, label }: { id: string; ending: Ending; label: string }) {
  return (
    <form method="post" action={`/console/proposals/${id}/${ending}`}>
      <button type="submit">{label}</button>
    </form>
  );
}

/** What an approval books. */
function Postings({ postings }: Pick<ProposalPreview, 'postings'>) {
  if (postings.length === 0) return <p>An approval books nothing: no money moved.</p>;
  return (
    <DataTable
      label="Postings"
      caption="What an approval writes into the ledger"
      columns={['Booking', 'Account', amountColumn('Amount')]}
      rows={postings.map(({ booking, account, amountMinor }) => [booking, account, showAmount(amountMinor)])}
    />
  );
}
