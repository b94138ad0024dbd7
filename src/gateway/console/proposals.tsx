import type { ProposalPreview } from '../../contract/staff/review.ts';
import { maskNumbers } from '../../shared/msisdn.ts';
import { can, type Person } from '../access/permissions.ts';
import {
  approveProposal,
  refuseProposal,
  showProposal,
  withdrawProposal,
} from '../staff/operations/proposals.ts';
import {
  type Audience,
  type ConsoleContext,
  defineConsoleRoute,
  defineForm,
  getStatus,
  type PageContent,
} from './define-route.ts';
import { Lines } from './parts/card.tsx';
import { showAmount } from './parts/format.ts';
import { PostButton } from './parts/forms.tsx';
import { paymentPath, Table } from './parts/table.tsx';

const endings = { approve: approveProposal, refuse: refuseProposal, withdraw: withdrawProposal } as const;

type Ending = keyof typeof endings;

/** The audience of each ending of a proposal. An approval moves money. */
const audiences: Readonly<Record<Ending, Exclude<Audience, string>>> = {
  approve: { needs: 'proposals.decide', isConfirmed: true },
  refuse: { needs: 'proposals.decide' },
  withdraw: { needs: 'proposals.make' },
};

/** The routes of proposals: one person proposes, another one sees the postings and approves. */
export const proposalsRoutes = [
  // After the password, a person who approves comes back here.
  defineConsoleRoute(
    'GET /proposals',
    { needs: 'cases.read', menu: { group: 'Work', link: 'Proposals', icon: 'inbox' } },
    ({ c }) => c.redirect('/console/desk', 303),
  ),
  defineConsoleRoute('GET /proposals/:id', { needs: 'cases.read' }, async ({ id, person, show }, context) =>
    show(await proposalPage(context, person, id)),
  ),
  ...(Object.keys(endings) as Ending[]).map((ending) =>
    defineForm(`POST /proposals/:id/${ending}`, {
      ...audiences[ending],
      operate: endings[ending],
      done: (_, { id }) => `/console/proposals/${id}`,
      refused: (_, { id, person }, context) => proposalPage(context, person, id),
    }),
  ),
];

async function proposalPage(
  { operations }: ConsoleContext,
  person: Person,
  id: string,
): Promise<PageContent> {
  const answer = await showProposal(operations, { actor: person, id });
  if (!answer.ok) return { title: 'No such proposal', message: answer.message, status: getStatus(answer) };
  const preview = answer.value;
  return {
    title: `Proposal: ${preview.proposal.outcome}`,
    body: <Proposal {...{ preview, person }} />,
  };
}

type ProposalProps = { preview: ProposalPreview; person: Person };

function Proposal({ preview: { proposal, postings, obstacle }, person }: ProposalProps) {
  const { id, subjectId, subjectKind, targetId, proposedBy, decidedBy } = proposal;
  const isOwn = proposedBy === person.name;
  const isOpen = proposal.state === 'open';
  const path = `/console/proposals/${id}`;
  return (
    <>
      <dl>
        <Lines
          lines={[
            ['State', decidedBy === null ? proposal.state : `${proposal.state} by ${decidedBy}`],
            [
              'About',
              <a href={`/console/${subjectKind === 'collection' ? 'payments' : 'unplaced'}/${subjectId}`}>
                {subjectId}
              </a>,
            ],
            targetId !== null && ['Payment', <a href={paymentPath(targetId)}>{targetId}</a>],
            ['Proposed by', `${proposedBy}, ${proposal.proposedAt}`],
            ['Evidence', maskNumbers(proposal.evidence)],
            ['Transfer', proposal.reference ?? '–'],
            ['Ends', proposal.endsAt],
          ]}
        />
      </dl>
      {isOpen && <Postings postings={postings} />}
      {isOpen && obstacle !== null && <p role="alert">It cannot be approved now: {obstacle}</p>}
      {isOpen && obstacle === null && !isOwn && can(person, 'proposals.decide') && (
        <PostButton action={`${path}/approve`} text="Approve" />
      )}
      {isOpen && isOwn && <PostButton action={`${path}/withdraw`} text="Withdraw it" />}
      {isOpen && !isOwn && can(person, 'proposals.decide') && (
        <PostButton action={`${path}/refuse`} text="Refuse it" />
      )}
    </>
  );
}

/** The postings of an approval. */
function Postings({ postings }: Pick<ProposalPreview, 'postings'>) {
  return (
    <Table
      label="Postings"
      caption="What an approval writes into the ledger"
      columns={[
        ['Booking', ({ booking }) => booking],
        ['Account', ({ account }) => account],
        ['Amount', ({ amountMinor }) => showAmount(amountMinor), 'amount'],
      ]}
      rows={postings}
      empty={<p>An approval books nothing: no money moved.</p>}
    />
  );
}
