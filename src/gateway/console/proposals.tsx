import type { PostingView, ProposalPreview } from '../../contract/staff/review.ts';
import { maskedText, maskNumbers } from '../../shared/msisdn.ts';
import { can, type Person } from '../access/permissions.ts';
import {
  approveProposal,
  listProposals,
  refuseProposal,
  showProposal,
  withdrawProposal,
} from '../staff/operations/proposals.ts';
import {
  type Audience,
  type ConsoleCall,
  type ConsoleContext,
  defineConsoleRoute,
  defineForm,
  getStatus,
  type PageContent,
} from './define-route.ts';
import { Chip, Empty, Flash } from './parts/card.tsx';
import { showAmount, showMoment, showNumber, showSpan, type Tone } from './parts/format.ts';
import {
  FormBehind,
  PostButton,
  Submit,
  TextArea,
  TextInput,
  type Typed,
  TypedTexts,
  typedText,
} from './parts/forms.tsx';
import { nameAccount, paymentPath, TableHead } from './parts/table.tsx';

const endings = { approve: approveProposal, refuse: refuseProposal, withdraw: withdrawProposal } as const;

type Ending = keyof typeof endings;

/** The audience of each ending of a proposal. An approval moves money. */
const audiences: Readonly<Record<Ending, Exclude<Audience, string>>> = {
  approve: { needs: 'proposals.decide', isConfirmed: true, result: 'Approved. The ledger has the postings.' },
  refuse: {
    needs: 'proposals.decide',
    keeps: 'Refuse the proposal',
    result: 'Refused. The author reads the reason on the overview.',
  },
  withdraw: { needs: 'proposals.make', result: 'Withdrawn. Another proposal can be made.' },
};

/** The lists of proposals, by the parameter `of`. */
const lists = { waiting: 'For you', own: 'Yours', ended: 'Decided' } as const;

type ListName = keyof typeof lists;

/** The routes of proposals: one person proposes, another one sees the postings and approves. */
export const proposalsRoutes = [
  defineConsoleRoute(
    'GET /proposals',
    {
      needs: 'cases.read',
      menu: {
        group: 'Work',
        link: 'Proposals',
        icon: 'inbox',
        counts: { work: 'proposals', by: 'proposals.decide' },
      },
    },
    async (call, context) => {
      const of = (Object.keys(lists) as ListName[]).find((one) => one === call.query.of) ?? 'waiting';
      return call.show(await listPage(context, call, of));
    },
  ),
  // After the password, a person who approves comes back here.
  defineConsoleRoute('GET /proposals/:id', { needs: 'cases.read' }, async ({ id, person, show }, context) =>
    show(await proposalPage(context, person, id)),
  ),
  ...(Object.keys(endings) as Ending[]).map((ending) =>
    defineForm(`POST /proposals/:id/${ending}`, {
      ...audiences[ending],
      operate: endings[ending],
      ...(ending === 'refuse' && { read: ({ reason = '' }) => ({ reason }) }),
      done: (_, { id }) => `/console/proposals/${id}`,
      refused: (_, { id, person, fields }, context) => proposalPage(context, person, id, fields),
    }),
  ),
];

async function listPage(
  { operations, clock }: ConsoleContext,
  { person }: ConsoleCall,
  of: ListName,
): Promise<PageContent> {
  const waiting = await listProposals(operations, { actor: person });
  const ended = await listProposals(operations, { actor: person, input: { state: 'ended' } });
  if (!waiting.ok || !ended.ok) throw new Error('a person who reads cases could not list proposals');
  const isOwn = ({ proposal }: ProposalPreview) => proposal.proposedBy === person.name;
  const mine = { waiting: waiting.value.data.filter(isOwn), ended: ended.value.data.filter(isOwn) };
  const shown: Readonly<Record<ListName, readonly ProposalPreview[]>> = {
    waiting: waiting.value.data.filter((one) => !isOwn(one)),
    own: [...mine.waiting, ...mine.ended],
    ended: ended.value.data,
  };
  const counts = { waiting: shown.waiting.length, own: mine.waiting.length, ended: undefined };
  const isCut = of === 'ended' ? ended.value.isCut : waiting.value.isCut;
  const body = (
    <>
      <p class="muted">
        A second person approves each decision about money. Approving asks for your password once in five
        minutes.
      </p>
      <nav class="choices" aria-label="Which proposals">
        {(Object.keys(lists) as ListName[]).map((one) => (
          <a href={`/console/proposals?of=${one}`} aria-current={one === of ? 'true' : undefined}>
            {lists[one]} {counts[one] !== undefined && <small>{counts[one]}</small>}
          </a>
        ))}
      </nav>
      <div class="stack narrow">
        {shown[of].map((preview) => (
          <Proposal {...{ preview, person, now: clock.now() }} />
        ))}
        {shown[of].length === 0 && (
          <Empty icon="inbox" title={emptyTexts[of][0]}>
            <p>{emptyTexts[of][1]}</p>
          </Empty>
        )}
        {isCut && <p class="small muted">There are more. Only {shown[of].length} are shown.</p>}
      </div>
    </>
  );
  return { title: 'Proposals', body };
}

const emptyTexts: Readonly<Record<ListName, readonly [title: string, next: string]>> = {
  waiting: [
    'No proposal waits for you.',
    'Decisions are proposed on the pages of payments and of unplaced money.',
  ],
  own: ['You have proposed nothing lately.', 'Propose a decision on the page of a payment in review.'],
  ended: ['Nothing was decided yet.', 'Proposals that were approved, refused or withdrawn stand here.'],
};

async function proposalPage(
  { operations, clock }: ConsoleContext,
  person: Person,
  id: string,
  typed?: Typed,
): Promise<PageContent> {
  const answer = await showProposal(operations, { actor: person, id });
  if (!answer.ok) return { title: 'No such proposal', message: answer.message, status: getStatus(answer) };
  const body = (
    <div class="stack narrow">
      <p>
        <a href="/console/proposals">All proposals</a>
      </p>
      <Proposal {...{ preview: answer.value, person, now: clock.now(), typed }} />
      {typed && answer.value.proposal.state !== 'open' && <TypedTexts typed={typed} />}
    </div>
  );
  return { title: 'Proposal', body };
}

type ProposalProps = {
  preview: ProposalPreview;
  person: Person;
  now: number;
  /** The fields of the form before it was refused. */
  typed?: Typed;
};

function Proposal({ preview, person, now, typed }: ProposalProps) {
  const { proposal, sentence, postings, refusal, stale, obstacle } = preview;
  const { id, proposedBy, proposedAt, evidence, reference, state, decidedBy } = proposal;
  const isOwn = proposedBy === person.name;
  const isOpen = state === 'open';
  return (
    <article class="card" aria-labelledby={id}>
      <div class="line between">
        <p class="small">
          <b>{proposedBy}</b> <span class="muted">proposed this</span>{' '}
          <a href={`/console/proposals/${id}`}>{showMoment(Date.parse(proposedAt), now)}</a>
        </p>
        <StateChip preview={preview} isOwn={isOwn} now={now} />
      </div>
      <h2 id={id} class="lead">
        {maskedText(sentence)}
      </h2>
      <p>
        <b>Evidence:</b> “{maskedText(evidence)}”{reference !== null && ` Transfer ${maskedText(reference)}.`}
      </p>
      <Subjects proposal={proposal} />
      {refusal !== null && (
        <p>
          <b>{decidedBy} refused it:</b> “{refusal}”
        </p>
      )}
      {isOpen && <Postings postings={postings} isStale={stale !== null} />}
      {isOpen && stale !== null && <Stale text={stale} proposal={proposal} isOwn={isOwn} />}
      {isOpen && stale === null && !isOwn && obstacle !== null && can(person, 'proposals.decide') && (
        <Flash tone="bad">You cannot approve it now: {obstacle}.</Flash>
      )}
      {isOpen && <Buttons {...{ preview, person, typed }} />}
    </article>
  );
}

const endWords: Readonly<Record<string, readonly [tone: Tone, words: string]>> = {
  approved: ['good', 'Approved'],
  refused: ['bad', 'Refused'],
  withdrawn: ['idle', 'Withdrawn'],
  expired: ['idle', 'Expired'],
};

type ChipProps = { preview: ProposalPreview; isOwn: boolean; now: number };

function StateChip({ preview: { proposal, stale }, isOwn, now }: ChipProps) {
  const ended = endWords[proposal.state];
  const [tone, words]: readonly [Tone, string] = ended
    ? [ended[0], [ended[1], proposal.decidedBy].filter(Boolean).join(' by ')]
    : stale !== null
      ? ['review', 'Changed since then']
      : isOwn
        ? ['idle', 'Yours']
        : ['open', `Ends in ${showSpan(Math.max(0, Date.parse(proposal.endsAt) - now))}`];
  return <Chip tone={tone}>{words}</Chip>;
}

function Subjects({ proposal: { subjectKind, subjectId, targetId } }: Pick<ProposalPreview, 'proposal'>) {
  return (
    <p class="small">
      <a href={subjectPath({ subjectKind, subjectId })}>
        {subjectKind === 'collection' ? 'Show the payment' : 'Show the unplaced money'}
      </a>
      {targetId !== null && (
        <>
          {' · '}
          <a href={paymentPath(targetId)}>Show the payment that takes it</a>
        </>
      )}
    </p>
  );
}

/** Returns the page of what a proposal is about. */
export function subjectPath({
  subjectKind,
  subjectId,
}: Pick<ProposalPreview['proposal'], 'subjectKind' | 'subjectId'>) {
  return subjectKind === 'collection' ? paymentPath(subjectId) : `/console/unplaced/${subjectId}`;
}

type StaleProps = Pick<ProposalPreview, 'proposal'> & { text: string; isOwn: boolean };

function Stale({ text, proposal, isOwn }: StaleProps) {
  return (
    <Flash tone="review">
      <b>It cannot be approved any more:</b> {text}.{' '}
      {isOwn
        ? 'Withdraw it, or propose again.'
        : `Refuse it, or ask ${proposal.proposedBy} to propose again.`}{' '}
      <a href={subjectPath(proposal)}>Show what changed</a>
    </Flash>
  );
}

function Buttons({ preview, person, typed }: Pick<ProposalProps, 'preview' | 'person' | 'typed'>) {
  const { proposal, obstacle, postings } = preview;
  const moved = computeMoved(postings);
  const isOwn = proposal.proposedBy === person.name;
  const path = `/console/proposals/${proposal.id}`;
  const mayDecide = can(person, 'proposals.decide');
  return (
    <div class="line actions">
      {obstacle === null && mayDecide && (
        <PostButton
          action={`${path}/approve`}
          text={moved === null ? 'Approve the proposal' : `Approve ${showAmount(moved)}`}
          kind="primary"
        />
      )}
      {isOwn && <PostButton action={`${path}/withdraw`} text="Withdraw the proposal" />}
      {preview.stale !== null && can(person, 'proposals.make') && <Again preview={preview} />}
      {!isOwn && mayDecide && (
        <FormBehind text="Refuse" isOpen={typed !== undefined}>
          <form class="form" method="post" action={`${path}/refuse`}>
            <TextInput
              id={`${proposal.id}-why`}
              name="reason"
              label="Reason for the refusal"
              hint={`${proposal.proposedBy} reads it, and it stands in the audit.`}
              value={typedText(typed, 'reason')}
              required
            />
            <Submit kind="danger">Refuse the proposal</Submit>
          </form>
        </FormBehind>
      )}
      {isOwn && obstacle !== null && <p class="small muted">Another lead, or finance, must approve it.</p>}
    </div>
  );
}

/** Proposes the same about the subject as it is now. The stale proposal gives way. */
function Again({ preview: { proposal, subjectVersion } }: Pick<ProposalProps, 'preview'>) {
  const { id, outcome, reference, targetId, evidence } = proposal;
  const hidden = { outcome, version: subjectVersion, reference, collectionId: targetId };
  return (
    <FormBehind text="Propose again">
      <form class="form" method="post" action={`${subjectPath(proposal)}/proposals`}>
        {Object.entries(hidden).map(
          ([name, value]) => value !== null && <input type="hidden" name={name} value={value} />,
        )}
        <TextArea
          id={`${id}-evidence`}
          name="evidence"
          label="Evidence: what you saw after the change, and where"
          rows={2}
          value={maskNumbers(evidence)}
        />
        <button type="submit">Propose it again</button>
      </form>
    </FormBehind>
  );
}

/** One transfer of a booking between two accounts. */
type Move = { booking: string; from: string; to: string; amountMinor: number };

/** Returns the transfers that postings make: each amount that leaves an account, and where it goes. The postings of a booking sum to zero. */
export function toMoves(postings: readonly PostingView[]): Move[] {
  return [...Map.groupBy(postings, ({ booking }) => booking)].flatMap(([booking, sides]) => {
    const sources = sides.filter(({ amountMinor }) => amountMinor < 0).map((one) => ({ ...one }));
    return sides
      .filter(({ amountMinor }) => amountMinor > 0)
      .flatMap(({ account: to, amountMinor }) => {
        const moves: Move[] = [];
        for (let left = amountMinor, source = sources[0]; left > 0 && source; source = sources[0]) {
          const part = Math.min(left, -source.amountMinor);
          moves.push({ booking, from: source.account, to, amountMinor: part });
          left -= part;
          source.amountMinor += part;
          if (source.amountMinor === 0) sources.shift();
        }
        return moves;
      });
  });
}

/** Returns the money that an approval moves: that of its first booking, which the others pass on; null when it books nothing. */
function computeMoved(postings: readonly PostingView[]): number | null {
  const [first] = postings;
  if (first === undefined) return null;
  const sides = postings.filter(({ booking, amountMinor }) => booking === first.booking && amountMinor > 0);
  return sides.reduce((sum, { amountMinor }) => sum + amountMinor, 0);
}

/** The postings of an approval. They do not depend on who reads. */
function Postings({ postings, isStale }: Pick<ProposalPreview, 'postings'> & { isStale: boolean }) {
  if (postings.length === 0)
    return isStale ? null : <p class="small">An approval books nothing: no money moves.</p>;
  return (
    <div>
      <h3 class="muted">
        {isStale ? 'What it would write into the ledger now' : 'What an approval writes into the ledger'}
      </h3>
      <table class="list">
        <TableHead columns={['Booking', 'From', 'To', ['GHS', 'n']]} />
        <tbody>
          {toMoves(postings).map(({ booking, from, to, amountMinor }) => (
            <tr>
              <th scope="row">{booking.charAt(0).toUpperCase() + booking.slice(1).replace('_', ' ')}</th>
              <td data-label="from">{nameAccount(from)}</td>
              <td data-label="to">{nameAccount(to)}</td>
              <td class="n sum">{showNumber(amountMinor)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
