import type { ReviewView } from '../../contract/staff/review.ts';
import type { EpochMs } from '../../shared/clock.ts';
import type { Person } from '../access/permissions.ts';
import type { CollectionRow } from '../collection/collection.ts';
import type { Operation, StaffDeps } from '../staff/operation.ts';
import { blockOfCollection, unblockOfCollection } from '../staff/operations/block.ts';
import {
  addNote,
  assign,
  assignableNames,
  canCheckNow,
  checkNow,
  reveal,
} from '../staff/operations/collections.ts';
import { resendOfCollection } from '../staff/operations/deliveries.ts';
import { propose } from '../staff/operations/proposals.ts';
import { showReview } from '../staff/operations/read-reviews.ts';
import { defineForm, type FormInput } from './define-route.ts';
import { Card } from './parts/card.tsx';
import { showSecond } from './parts/format.ts';
import { Back, Select, TextArea, TextInput, type Typed, TypedTexts, typedText } from './parts/forms.tsx';
import { blockEnd } from './payment-cards.tsx';

/** The actions about a payment that a person has now. */
export type PaymentActions = {
  id: string;
  /** True while the gateway can ask the service about the payment. */
  canCheck: boolean;
  /** The names to hand the payment over to. */
  staffNames: readonly string[];
  /** The decisions that are possible, and the open proposal; null without a review. */
  review: ReviewView | null;
};

/** Reads what a person can do about a payment now. */
export async function readActions(
  operations: StaffDeps,
  row: CollectionRow,
  actor: Person,
): Promise<PaymentActions> {
  const { id, review } = row;
  const answer = review === null ? undefined : await showReview(operations, { actor, id });
  return {
    id,
    canCheck: canCheckNow(row, operations.clock.now()),
    staffNames: await assignableNames(operations),
    review: answer?.ok ? answer.value : null,
  };
}

const inputs = {
  check: {
    needs: 'payments.check',
    operate: checkNow,
    read: ({ reason }: FormInput) => withReason({}, reason),
  },
  notes: { needs: 'payments.note', operate: addNote, read: ({ text }: FormInput) => ({ text }) },
  assign: {
    needs: 'payments.work',
    operate: assign,
    read: ({ to, reason }: FormInput) => withReason({ to: to || null }, reason),
  },
  resend: {
    needs: 'payments.work',
    operate: resendOfCollection,
    read: ({ endpoint, event }: FormInput) => ({ endpointId: endpoint, eventId: event }),
  },
  block: {
    needs: 'payments.block',
    operate: blockOfCollection,
    read: ({ role, everywhere, reason, length }: FormInput, now: number) => ({
      ...{ role, everywhere: everywhere === '1', reason, until: blockEnd(length, now) },
    }),
  },
  unblock: {
    needs: 'payments.block',
    operate: unblockOfCollection,
    read: ({ role, everywhere, reason }: FormInput) => ({ role, everywhere: everywhere === '1', reason }),
  },
  proposals: {
    needs: 'proposals.make',
    operate: propose,
    read: ({ outcome, evidence, reference, version }: FormInput) => ({
      ...{ outcome, evidence, version: Number(version) },
      ...(reference ? { reference } : {}),
    }),
  },
} as const;

/** Adds the reason, which is optional on these forms. */
function withReason(input: object, reason = ''): object {
  return reason.trim() === '' ? input : { ...input, reason };
}

type ActionName = keyof typeof inputs;

/** The routes of the forms of a payment's page. */
export const paymentActionRoutes = [
  ...(Object.keys(inputs) as ActionName[]).map((name) =>
    defineForm(`POST /payments/:id/${name}`, {
      needs: inputs[name].needs,
      operate: inputs[name].operate as Operation,
      read: (fields, _, { clock }) => inputs[name].read(fields, clock.now()),
      done: (_, { id }) => `/console/payments/${id}`,
      async refused(_, { id, person, fields }, { operations }) {
        const path = `/console/payments/${id}`;
        const open = name === 'proposals' ? await openReview(operations, id, person) : null;
        const body = (
          <>
            {open ? <Review review={open} base={path} typed={fields} /> : <TypedTexts typed={fields} />}
            <Back path={path} text="Back to the payment" />
          </>
        );
        return { title: 'Nothing was changed', body };
      },
    }),
  ),
  // Shows the whole numbers to the session of the person for some minutes.
  defineForm('POST /payments/:id/reveal', {
    needs: 'numbers.reveal',
    operate: reveal,
    read: ({ reason }, { person }) => ({ reason, session: person.session.id }),
    done: (_, { id }) => `/console/payments/${id}`,
    refused: () => ({ title: 'The numbers stay masked' }),
  }),
];

/** Returns the review of a payment while a person can propose a decision about it. */
async function openReview(operations: StaffDeps, id: string, actor: Person): Promise<ReviewView | null> {
  const answer = await showReview(operations, { actor, id });
  const review = answer.ok ? answer.value : null;
  return review?.proposal === null && review.decisions.length > 0 ? review : null;
}

/** The forms of a payment's page. Each one is a part that changes while the page is open, unless a person types in it. */
export function Actions({ id, canCheck, staffNames, review }: PaymentActions) {
  const base = `/console/payments/${id}`;
  return (
    <Card id="actions" title="Actions">
      <div id="check" data-part>
        {canCheck && (
          <form method="post" action={`${base}/check`}>
            <TextInput
              id="check-reason"
              name="reason"
              label="Ask the service for the result: why (optional)"
            />
            <button type="submit">Check now</button>
          </form>
        )}
      </div>
      <form id="note" data-part method="post" action={`${base}/notes`}>
        <TextInput id="text" label="Note; @name mentions a person" required />
        <button type="submit">Add the note</button>
      </form>
      <form id="assign" data-part method="post" action={`${base}/assign`}>
        <Select
          id="to"
          label="Hand over to"
          choices={[['', 'no one'], ...staffNames.map((name) => [name] as const)]}
        />
        <TextInput id="assign-reason" name="reason" label="Why (optional)" />
        <button type="submit">Hand over</button>
      </form>
      <div id="decision" data-part>
        {review && <Review review={review} base={base} />}
      </div>
    </Card>
  );
}

const outcomeWords: Readonly<Record<string, string>> = {
  accept: 'Accept what arrived',
  returned: 'Record that the money went back',
  paid: 'Record it as paid',
  not_paid: 'Record it as not paid',
};

type ReviewProps = {
  review: ReviewView;
  base: string;
  /** The fields of the form before it was refused. */
  typed?: Typed;
};

function Review({ review, base, typed }: ReviewProps) {
  const { proposal, decisions, version } = review;
  if (proposal)
    return (
      <p>
        {proposal.proposedBy} proposes: {outcomeWords[proposal.outcome] ?? proposal.outcome}.{' '}
        <a href={`/console/proposals/${proposal.id}`}>See the proposal</a>
      </p>
    );
  if (decisions.length === 0) return <p>Nothing can be decided now.</p>;
  return (
    <form method="post" action={`${base}/proposals`}>
      <h3>Propose a decision</h3>
      <input type="hidden" name="version" value={version} />
      <Select
        id="outcome"
        label="Decision"
        choices={decisions.map(({ outcome }) => [outcome, outcomeWords[outcome]])}
        value={typed?.outcome}
      />
      <TextArea
        id="evidence"
        label="Evidence: what you saw, and where"
        rows={3}
        value={typedText(typed, 'evidence')}
      />
      <TextInput
        id="reference"
        label="Reference of the transfer, if the money went back"
        maxlength={100}
        value={typedText(typed, 'reference')}
      />
      <button type="submit">Propose</button>
    </form>
  );
}

/** The form that reveals the numbers of a payment, or the time until which they are whole. */
export function Reveal({ id, until }: { id: string; until: EpochMs | undefined }) {
  return (
    <Card id="numbers" title="Phone numbers">
      {until === undefined ? (
        <form method="post" action={`/console/payments/${id}/reveal`}>
          <TextInput id="reason" label="Reason to see the whole numbers" required />
          <button type="submit">Show for 5 minutes</button>
          <small>The reason and your name stand in the timeline and in the audit.</small>
        </form>
      ) : (
        <p>
          You see the whole numbers until{' '}
          <time datetime={new Date(until).toISOString()}>{showSecond(until).slice(11)}</time> UTC. Then this
          page masks them again.
        </p>
      )}
    </Card>
  );
}
