import type { SuggestionView, UnplacedDetail } from '../../contract/staff/unplaced.ts';
import { maskedText } from '../../shared/msisdn.ts';
import { can } from '../access/permissions.ts';
import { assignUnplaced } from '../staff/operations/collections.ts';
import { showUnplaced } from '../staff/operations/read-unplaced.ts';
import { proposeUnplaced } from '../staff/operations/reviews.ts';
import type { FilterClock } from '../support/filter-text.ts';
import {
  type ConsoleCall,
  type ConsoleContext,
  defineConsoleRoute,
  defineForm,
  type FormInput,
  getStatus,
  type PageContent,
} from './define-route.ts';
import { Card, Details, Flash } from './parts/card.tsx';
import { maskedPhone, nameZone, showAmount, showMoment, showSpan } from './parts/format.ts';
import { Submit, TextArea, TextInput, type Typed, TypedTexts, typedText } from './parts/forms.tsx';
import { nameAccount, paymentPath } from './parts/table.tsx';
import { readAssignment } from './payment-actions.tsx';
import { clockFor } from './payments-filter.ts';
import { getScope } from './scope.ts';
import { Assignee, findTaker, unplacedWords } from './unplaced.tsx';

export const unplacedCaseRoutes = [
  defineConsoleRoute('GET /unplaced/:id', { needs: 'cases.read' }, async (call, context) =>
    call.show(await casePage(context, call)),
  ),
  defineForm('POST /unplaced/:id/assign', {
    needs: 'payments.work',
    result: 'The work is handed over.',
    operate: assignUnplaced,
    read: readAssignment,
    done: (_, { id }) => `/console/unplaced/${id}`,
    refused: (_, call, context) => casePage(context, call, call.fields),
  }),
  defineConsoleRoute(
    'POST /unplaced/:id/proposals',
    { needs: 'proposals.make', result: 'Proposed. Another person approves it.', keeps: 'Propose' },
    async (call, context) => {
      const { c, id, person, fields, show } = call;
      const { outcome = '', evidence = '', reference = '', version = '' } = fields;
      const collectionId = outcome === 'match' ? await chosenPayment(call) : undefined;
      if (outcome === 'match' && !collectionId) {
        const message = 'Choose a payment: its id or short reference finds exactly one.';
        return show({ message, ...(await casePage(context, call, fields)) });
      }
      const input = {
        ...{ outcome, evidence, version: Number(version) },
        ...(reference && { reference }),
        ...(collectionId && { collectionId }),
      };
      const answer = await proposeUnplaced(context.operations, { actor: person, id, input });
      if (answer.ok) return c.redirect(`/console/proposals/${answer.value.id}`, 303);
      const page = await casePage(context, call, fields);
      return show({ message: answer.message, ...page, status: getStatus(answer) });
    },
  ),
];

/** Returns the id of the payment that a person chose or typed; undefined unless exactly one has it. */
async function chosenPayment({ person, reads, fields }: ConsoleCall): Promise<string | undefined> {
  const { collectionId = '', other = '' } = fields;
  const typed = other.trim();
  if (typed === '') return collectionId;
  const found = await reads.named(getScope(person), typed, { limit: 2 });
  const [only, second] = found === 'unknown_cursor' ? [] : found.data;
  return second ? undefined : only?.id;
}

async function casePage(
  { operations }: ConsoleContext,
  { id, person, reads }: ConsoleCall,
  typed?: FormInput,
): Promise<PageContent> {
  const answer = await showUnplaced(operations, { actor: person, id });
  if (!answer.ok) return { title: 'No such money', message: answer.message, status: getStatus(answer) };
  const { value: detail } = answer;
  const { proposal, decisions } = detail;
  const takenBy = await reads.unplacedTaker(id);
  const canPropose = can(person, 'proposals.make');
  const clock = clockFor(operations, person, detail.merchantId);
  const isDecidable = decisions.length > 0 && proposal === null;
  const body = (
    <>
      <p class="lead">{unplacedWords(detail)}</p>
      {detail.state === 'open' && <TakenLine id={id} takenBy={takenBy} taker={findTaker(person)} />}
      {proposal && (
        <Flash tone="review">
          <b>
            {proposal.proposedBy} proposes: {outcomeWords[proposal.outcome] ?? proposal.outcome}.
          </b>{' '}
          <a href={`/console/proposals/${proposal.id}`}>See the proposal</a>
        </Flash>
      )}
      <div class="stack halves">
        <CaseDetails detail={detail} clock={clock} />
        <Suggestions suggestions={detail.suggestions} clock={clock} />
      </div>
      {isDecidable && canPropose ? (
        <Decisions detail={detail} typed={typed} clock={clock} />
      ) : (
        <TypedTexts typed={typed} />
      )}
    </>
  );
  return { title: `Unplaced ${showAmount(detail.amountMinor)}`, body };
}

/** `taker`: the name of the person who can take it; undefined for one who only reads. */
type TakenLineProps = { id: string; takenBy: string | null; taker: string | undefined };

/** The person who has it, with the form that takes it or gives it back. */
function TakenLine({ id, takenBy, taker }: TakenLineProps) {
  const path = `/console/unplaced/${id}/assign`;
  if (takenBy === null) return <Assignee path={path} by={null} taker={taker} />;
  return (
    <form class="line" method="post" action={path}>
      {takenBy} has it.
      {taker !== undefined && <Submit kind="quiet">No one has it</Submit>}
    </form>
  );
}

const outcomeWords: Readonly<Record<string, string>> = {
  match: 'it belongs to a payment',
  return: 'it went back to the payer',
  foreign: 'it is money of another channel',
};

const phone = (text: string | null) => maskedPhone(text) || '–';

type CaseDetailsProps = { detail: UnplacedDetail; clock: FilterClock };

/** Formats a time of a case in the zone of its merchant. */
const moment = (time: string, { now, timeZone }: FilterClock) => showMoment(Date.parse(time), now, timeZone);

function CaseDetails({ detail, clock }: CaseDetailsProps) {
  const waited = Math.max(0, clock.now - Date.parse(detail.receivedAt));
  const link = (id: string | null) => (id === null ? '–' : <a href={paymentPath(id)}>{id}</a>);
  const text = (value: string | null) => (value === null ? '–' : maskedText(value));
  return (
    <Details
      lines={[
        ['State', detail.state],
        ['Amount', showAmount(detail.amountMinor)],
        ['In suspense', showAmount(detail.suspendedMinor)],
        ['Payer', phone(detail.payer)],
        ['Reference', text(detail.reference)],
        ['Id at the merchant', text(detail.clientTransId)],
        ['Paid', detail.paidAt === null ? '–' : moment(detail.paidAt, clock)],
        ['Received', `${moment(detail.receivedAt, clock)}, waits ${showSpan(waited)}`],
        ['Merchant', `${detail.merchantId}, ${nameZone(clock.timeZone)}`],
        ['Channel', detail.channel ?? '–'],
        ['Payment session', detail.sessionId ?? '–'],
        ['Payment of the session', link(detail.sessionCollectionId)],
        ['Placed with', link(detail.collectionId)],
        ['Event', detail.eventId === null ? detail.eventType : `${detail.eventType}, ${detail.eventId}`],
        ['Id', detail.id],
      ]}
    />
  );
}

type SuggestionsProps = { suggestions: readonly SuggestionView[]; clock: FilterClock };

function Suggestions({ suggestions, clock }: SuggestionsProps) {
  return (
    <Card id="suggestions" title="Payments that may have it">
      {suggestions.length === 0 ? (
        <p class="muted">No payment of the day before has this amount and no money.</p>
      ) : (
        <ul class="stack tight">
          {suggestions.map((one) => (
            <li>
              <a href={paymentPath(one.collectionId)}>{moment(one.openedAt, clock)}</a>, {one.status},{' '}
              {phone(one.payer)}, {maskedText(one.reference)}. Same {one.agrees.join(', ')}.
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

/** A form for each decision that is possible now. */
function Decisions({ detail, typed, clock }: CaseDetailsProps & { typed: Typed }) {
  const can = (outcome: string) => detail.decisions.some((one) => one.outcome === outcome);
  return (
    <div class="stack halves">
      {can('match') && (
        <Decision detail={detail} outcome="match" typed={typed} title="It belongs to a payment">
          {detail.suggestions.length > 0 && (
            <fieldset class="field">
              <legend>Payment</legend>
              {detail.suggestions.map(({ collectionId, openedAt, payer }) => (
                <label class="option">
                  <input
                    type="radio"
                    name="collectionId"
                    value={collectionId}
                    checked={typed?.collectionId === collectionId}
                  />
                  <span>
                    {moment(openedAt, clock)}, {phone(payer)}
                  </span>
                </label>
              ))}
            </fieldset>
          )}
          <TextInput
            id="other"
            label={`${detail.suggestions.length > 0 ? 'Or another payment' : 'Payment'}: its id or short reference`}
            maxlength={64}
            value={typedText(typed, 'other')}
          />
        </Decision>
      )}
      {can('return') && (
        <Decision detail={detail} outcome="return" typed={typed} title="It went back to the payer">
          <TextInput
            id="reference"
            label="Reference of the transfer"
            maxlength={100}
            required
            value={typedText(typed, 'reference')}
          />
        </Decision>
      )}
      {can('foreign') && (
        <Decision detail={detail} outcome="foreign" typed={typed} title="It is money of another channel" />
      )}
    </div>
  );
}

type DecisionProps = {
  detail: UnplacedDetail;
  outcome: UnplacedDetail['decisions'][number]['outcome'];
  title: string;
  typed: Typed;
  children?: unknown;
};

function Decision({ detail, outcome, title, typed, children }: DecisionProps) {
  const { id, version, decisions } = detail;
  const evidence = typed?.outcome === outcome ? typedText(typed, 'evidence') : '';
  const postings = decisions.find((one) => one.outcome === outcome)?.postings ?? [];
  return (
    <Card id={`decide-${outcome}`} title={title}>
      <form method="post" action={`/console/unplaced/${id}/proposals`}>
        <input type="hidden" name="outcome" value={outcome} />
        <input type="hidden" name="version" value={version} />
        {children}
        <TextArea
          id={`evidence-${outcome}`}
          name="evidence"
          label="Evidence: what you saw, and where"
          rows={2}
          value={evidence}
        />
        <button type="submit">Propose</button>
      </form>
      <p class="muted small">
        {postings.length === 0
          ? 'It books nothing.'
          : `An approval books ${postings.map(({ account, amountMinor }) => `${showAmount(amountMinor)} on ${nameAccount(account)}`).join(' and ')}${outcome === 'match' ? ', and the payment as paid' : ''}.`}
      </p>
    </Card>
  );
}
