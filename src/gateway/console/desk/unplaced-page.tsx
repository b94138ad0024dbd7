import type { SuggestionView, UnplacedDetail } from '../../../contract/staff/unplaced.ts';
import type { EpochMs } from '../../../shared/clock.ts';
import { maskNumbers } from '../../../shared/mask-numbers.ts';
import { maskedForm, parseMsisdn } from '../../../shared/msisdn.ts';
import type { PageContent } from '../define-route.ts';
import { Message } from '../page.tsx';
import { showAmount, showSpan, showTime } from '../pages/format.ts';
import { paymentPath } from '../pages/payment-table.tsx';
import { type Typed, TypedTexts, typedText } from '../work/typed-text.tsx';
import { Taken } from './taken.tsx';
import { unplacedWords } from './unplaced-words.ts';

export type UnplacedPageView = {
  detail: UnplacedDetail;
  now: EpochMs;
  /** Whether the person can propose decisions. */
  canPropose: boolean;
  takenBy: string | null;
  /** The name of the person who can take it; undefined for one who only reads. */
  taker: string | undefined;
  message?: string | undefined;
  /** What the person typed into a form that was refused. */
  typed?: Typed;
};

/** Returns the page of money that no payment explains. */
export function unplacedDetailPage(view: UnplacedPageView): PageContent {
  const { detail, now, canPropose, takenBy, taker, message, typed } = view;
  const { proposal, decisions } = detail;
  const isDecidable = decisions.length > 0 && proposal === null;
  const body = (
    <>
      <Message text={message} />
      <p class="headline">{unplacedWords(detail)}</p>
      {detail.state === 'open' && <TakenLine id={detail.id} takenBy={takenBy} taker={taker} />}
      {proposal && (
        <p>
          {proposal.proposedBy} proposes: {outcomeWords[proposal.outcome] ?? proposal.outcome}.{' '}
          <a href={`/console/proposals/${proposal.id}`}>See the proposal</a>
        </p>
      )}
      <div class="columns">
        <Details detail={detail} now={now} />
        <Suggestions suggestions={detail.suggestions} />
      </div>
      {isDecidable && canPropose ? <Decisions detail={detail} typed={typed} /> : <TypedTexts typed={typed} />}
    </>
  );
  return { title: `Unplaced ${showAmount(detail.amountMinor)}`, body };
}

type TakenLineProps = { id: string } & Pick<UnplacedPageView, 'takenBy' | 'taker'>;

/** Who has it, with the form that takes it, or gives it back. */
function TakenLine({ id, takenBy, taker }: TakenLineProps) {
  const path = `/console/unplaced/${id}/assign`;
  if (takenBy === null) return <Taken path={path} by={null} taker={taker} />;
  return (
    <form class="line" method="post" action={path}>
      {takenBy} has it.
      {taker !== undefined && <button type="submit">No one has it</button>}
    </form>
  );
}

const outcomeWords: Readonly<Record<string, string>> = {
  match: 'it belongs to a payment',
  return: 'it went back to the payer',
  foreign: 'it is money of another channel',
};

function maskedPhone(text: string | null): string {
  const msisdn = parseMsisdn(text ?? '');
  return msisdn === undefined ? '–' : maskedForm(msisdn);
}

function Details({ detail, now }: { detail: UnplacedDetail; now: EpochMs }) {
  const receivedAt = Date.parse(detail.receivedAt);
  const link = (id: string | null) => (id === null ? '–' : <a href={paymentPath(id)}>{id}</a>);
  const text = (value: string | null) => (value === null ? '–' : maskNumbers(value));
  const lines = [
    ['State', detail.state],
    ['Amount', showAmount(detail.amountMinor)],
    ['In suspense', showAmount(detail.suspendedMinor)],
    ['Payer', maskedPhone(detail.payer)],
    ['Reference', text(detail.reference)],
    ['Id at the merchant', text(detail.clientTransId)],
    ['Paid at', detail.paidAt ?? '–'],
    ['Received', `${showTime(receivedAt)}, waits ${showSpan(Math.max(0, now - receivedAt))}`],
    ['Merchant', detail.merchantId],
    ['Channel', detail.channel ?? '–'],
    ['Payment session', detail.sessionId ?? '–'],
    ['Payment of the session', link(detail.sessionCollectionId)],
    ['Placed with', link(detail.collectionId)],
    ['Event', detail.eventId === null ? detail.eventType : `${detail.eventType}, ${detail.eventId}`],
    ['Id', detail.id],
  ] as const;
  return (
    <section class="card" aria-labelledby="details">
      <h2 id="details">Details</h2>
      <dl>
        {lines.map(([name, value]) => (
          <>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </>
        ))}
      </dl>
    </section>
  );
}

function Suggestions({ suggestions }: { suggestions: readonly SuggestionView[] }) {
  return (
    <section class="card" aria-labelledby="suggestions">
      <h2 id="suggestions">Payments that may have it</h2>
      {suggestions.length === 0 ? (
        <p>No payment of the day before has this amount and no money.</p>
      ) : (
        <ul>
          {suggestions.map((one) => (
            <li>
              <a href={paymentPath(one.collectionId)}>{showTime(Date.parse(one.openedAt))}</a>, {one.status},{' '}
              {maskedPhone(one.payer)}, {maskNumbers(one.reference)}. Same {one.agrees.join(', ')}.
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** A form for each decision that is possible now. */
function Decisions({ detail, typed }: { detail: UnplacedDetail; typed: Typed }) {
  const can = (outcome: string) => detail.decisions.some((one) => one.outcome === outcome);
  return (
    <div class="columns">
      {can('match') && (
        <Decision detail={detail} outcome="match" typed={typed} title="It belongs to a payment">
          {detail.suggestions.length > 0 && (
            <fieldset>
              <legend>Payment</legend>
              {detail.suggestions.map(({ collectionId, openedAt, payer }) => (
                <label>
                  <input
                    type="radio"
                    name="collectionId"
                    value={collectionId}
                    checked={typed?.collectionId === collectionId}
                  />{' '}
                  {showTime(Date.parse(openedAt))}, {maskedPhone(payer)}
                </label>
              ))}
            </fieldset>
          )}
          <label for="other">
            {detail.suggestions.length > 0 ? 'Or another payment' : 'Payment'}: its id or short reference
          </label>
          <input
            id="other"
            name="other"
            maxlength={64}
            autocomplete="off"
            value={typedText(typed, 'other')}
          />
        </Decision>
      )}
      {can('return') && (
        <Decision detail={detail} outcome="return" typed={typed} title="It went back to the payer">
          <label for="reference">Reference of the transfer</label>
          <input
            id="reference"
            name="reference"
            maxlength={100}
            required
            autocomplete="off"
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
    <section class="card" aria-labelledby={`decide-${outcome}`}>
      <h2 id={`decide-${outcome}`}>{title}</h2>
      <form method="post" action={`/console/unplaced/${id}/proposals`}>
        <input type="hidden" name="outcome" value={outcome} />
        <input type="hidden" name="version" value={version} />
        {children}
        <label for={`evidence-${outcome}`}>Evidence: what you saw, and where</label>
        <textarea id={`evidence-${outcome}`} name="evidence" rows={2} maxlength={1_000} required>
          {evidence}
        </textarea>
        <button type="submit">Propose</button>
      </form>
      <p class="note">
        {postings.length === 0
          ? 'It books nothing.'
          : `An approval books ${postings.map(({ account, amountMinor }) => `${showAmount(amountMinor)} on ${account}`).join(' and ')}${outcome === 'match' ? ', and the payment as paid' : ''}.`}
      </p>
    </section>
  );
}
