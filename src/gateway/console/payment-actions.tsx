import type { Child } from 'hono/jsx';
import type { ReviewView } from '../../contract/staff/review.ts';
import type { Person } from '../access/permissions.ts';
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
import { propose, showReview } from '../staff/operations/reviews.ts';
import { findAssignee } from '../support/action-query.ts';
import type { CollectionRecord } from '../support/collection-query.ts';
import { defineForm, type FormInput } from './define-route.ts';
import {
  Back,
  FormBehind,
  PostButton,
  Select,
  Submit,
  TextArea,
  TextInput,
  type Typed,
  TypedTexts,
  typedText,
} from './parts/forms.tsx';
import { blockEnd } from './payment-cards.tsx';

export type PaymentActions = {
  id: string;
  /** True while the gateway can ask the service about the payment. */
  canCheck: boolean;
  /** The names to hand the payment over to. */
  staffNames: readonly string[];
  /** The name of the person who has the payment; empty for no one. */
  assignee: string;
  /** The decisions that are possible, and the open proposal; null without a review. */
  review: ReviewView | null;
};

export async function readActions(
  operations: StaffDeps,
  { collection: row, actions }: CollectionRecord,
  actor: Person,
): Promise<PaymentActions> {
  const { id, review } = row;
  const answer = review === null ? undefined : await showReview(operations, { actor, id });
  return {
    id,
    canCheck: canCheckNow(row, operations.clock.now()),
    staffNames: await assignableNames(operations),
    assignee: findAssignee(actions) ?? '',
    review: answer?.ok ? answer.value : null,
  };
}

const inputs = {
  check: {
    result: 'The service was asked. The timeline shows its answer.',
    needs: 'payments.check',
    operate: checkNow,
    read: ({ reason }: FormInput) => withReason({}, reason),
  },
  notes: {
    result: 'Note added. The people whom it names with @ read it on the overview.',
    needs: 'payments.note',
    keeps: 'Add the note',
    operate: addNote,
    read: ({ text }: FormInput) => ({ text }),
  },
  assign: {
    result: 'Handed over.',
    needs: 'payments.work',
    keeps: 'Hand over',
    operate: assign,
    read: readAssignment,
  },
  resend: {
    result: 'The notification is sent again.',
    needs: 'payments.work',
    operate: resendOfCollection,
    read: ({ endpoint, event }: FormInput) => ({ endpointId: endpoint, eventId: event }),
  },
  block: {
    result: 'Number blocked.',
    needs: 'payments.block',
    keeps: 'Block the number',
    operate: blockOfCollection,
    read: ({ role, everywhere, reason, length }: FormInput, now: number) => ({
      ...{ role, everywhere: everywhere === '1', reason, until: blockEnd(length, now) },
    }),
  },
  unblock: {
    result: 'Block removed.',
    needs: 'payments.block',
    keeps: 'Remove the block',
    operate: unblockOfCollection,
    read: ({ role, everywhere, reason }: FormInput) => ({ role, everywhere: everywhere === '1', reason }),
  },
  proposals: {
    result: 'Proposed. Another person approves or refuses it.',
    needs: 'proposals.make',
    keeps: 'Propose',
    operate: propose,
    read: ({ outcome, evidence, reference, version }: FormInput) => ({
      ...{ outcome, evidence, version: Number(version) },
      ...(reference ? { reference } : {}),
    }),
  },
} as const;

/** Reads to whom a case is handed, and from whom: the button of a list takes a case that no one had. */
export function readAssignment({ to, from, reason }: FormInput): object {
  return withReason({ to: to || null, ...(from !== undefined && { from: from || null }) }, reason);
}

/** Adds the reason, which is optional on these forms. */
function withReason(input: object, reason = ''): object {
  return reason.trim() === '' ? input : { ...input, reason };
}

type ActionName = keyof typeof inputs;

export const paymentActionRoutes = [
  ...(Object.keys(inputs) as ActionName[]).map((name) => {
    const { operate, read, ...audience } = inputs[name];
    return defineForm(`POST /payments/:id/${name}`, {
      ...audience,
      operate: operate as Operation,
      read: (fields, _, { clock }) => read(fields, clock.now()),
      done: (_, { id }) => `/console/payments/${id}`,
      async refused({ code }, { id, person, fields }, { operations }) {
        const path = `/console/payments/${id}`;
        // After a conflict, the person must see what has changed before the form has the new version.
        const mayRepeat = name === 'proposals' && code !== 'conflict';
        const open = mayRepeat ? await openReview(operations, id, person) : null;
        const body = (
          <>
            {open ? <Review review={open} base={path} typed={fields} /> : <TypedTexts typed={fields} />}
            <Back path={path} text={code === 'conflict' ? 'See what has changed' : 'Back to the payment'} />
          </>
        );
        return { title: 'Nothing was changed', body };
      },
    });
  }),
  // Shows the whole numbers to the session of the person for some minutes.
  defineForm('POST /payments/:id/reveal', {
    needs: 'numbers.reveal',
    keeps: 'Show for 5 minutes',
    result: 'The whole numbers are shown for 5 minutes.',
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

type ActionsProps = PaymentActions & { advice: string; children?: Child };

/** The forms of a payment's page. Each one is a part that changes while the page is open, unless a person types in it. */
export function Actions({ id, canCheck, staffNames, assignee, review, advice, children }: ActionsProps) {
  const base = `/console/payments/${id}`;
  const names = staffNames.map((name) => [name] as const);
  const isTaken = assignee !== '';
  return (
    <section class="card actions" aria-labelledby="actions">
      <h2 id="actions">What to do</h2>
      <p id="guidance" class="small" data-part>
        {advice}
      </p>
      <div class="stack tight fill">
        <div id="decision" data-part>
          {review && <Review review={review} base={base} />}
        </div>
        <div id="check" data-part>
          {canCheck && <PostButton action={`${base}/check`} text="Check with the service now" />}
        </div>
        <div id="assign" data-part>
          <FormBehind text="Hand over to a colleague">
            <form class="form" method="post" action={`${base}/assign`}>
              <Select
                id="to"
                label="To"
                choices={isTaken ? [...names, ['', 'No one']] : [['', 'Choose a person'], ...names]}
                value={assignee}
                required={!isTaken}
              />
              <TextInput id="assign-reason" name="reason" label="Reason (optional)" />
              <button type="submit">Hand over</button>
            </form>
          </FormBehind>
        </div>
        {children}
      </div>
    </section>
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
  if (review.awaitsService) return <p>The service decides. Nothing can be proposed before.</p>;
  if (decisions.length === 0) return <p>Nothing can be decided now.</p>;
  return (
    <FormBehind text="Propose a decision" kind="primary" isOpen={typed !== undefined}>
      <form class="form" method="post" action={`${base}/proposals`}>
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
        <Submit>Propose</Submit>
      </form>
    </FormBehind>
  );
}
