import type { EpochMs } from '../../shared/clock.ts';
import { showShortReference } from '../../shared/short-reference.ts';
import { can } from '../access/permissions.ts';
import { toAnswers } from '../collection/answers.ts';
import { findAssignee } from '../support/action-query.ts';
import type { CollectionRecord } from '../support/collection-query.ts';
import { type Explanation, explain } from '../support/explain.ts';
import { merchantTimeline } from '../support/merchant-timeline.ts';
import type { Scope } from '../support/scope.ts';
import { timeline } from '../support/timeline.ts';
import { defineConsoleRoute } from './define-route.ts';
import { Card, Details } from './parts/card.tsx';
import { describeStatus, getReasons, showAmount, showSecond } from './parts/format.ts';
import { paymentPath } from './parts/table.tsx';
import { Actions, type PaymentActions, Reveal, readActions } from './payment-actions.tsx';
import { Blocks, NotificationsCard, Related } from './payment-cards.tsx';
import { getVersion, type PaymentContext } from './payment-query.ts';
import { caseSummary, Timeline, timelineItems } from './payment-timeline.tsx';
import { noPayment } from './payments.tsx';
import { getScope, type NumberView, numbersFor } from './scope.ts';

/** The route of one payment. */
export const paymentPageRoutes = [
  defineConsoleRoute('GET /payments/:id', { needs: 'payments.read' }, async (call, { operations, clock }) => {
    const { c, id, person, reads, show } = call;
    const scope = getScope(person);
    const record = await reads.payment(scope, id);
    if (!record) return show(noPayment);
    const now = clock.now();
    const numbers = numbersFor(person, record, now);
    // A page with whole numbers loads again when their time has ended.
    if (numbers.until !== undefined) c.header('refresh', String(Math.ceil((numbers.until - now) / 1_000)));
    const { collection } = record;
    const { words, tone } = describeStatus(collection);
    const title = `Payment ${showShortReference(collection.shortReference)}`;
    const heading = (
      <>
        {title}{' '}
        <span id="status" data-part class={`status ${tone}`}>
          {words}
        </span>
      </>
    );
    const view: PaymentView = {
      ...{ record, explanation: explain(record, now), numbers, scope, now },
      context: await reads.paymentContext(scope, collection, now),
      canReveal: can(person, 'numbers.reveal'),
      actions: can(person, 'payments.note') ? await readActions(operations, collection, person) : null,
    };
    return show({ title, heading, body: <PaymentBody {...view} /> });
  }),
];

/** The content of the page of one payment. */
type PaymentView = {
  record: CollectionRecord;
  explanation: Explanation;
  context: PaymentContext;
  numbers: NumberView;
  /** True when the person may see the whole numbers for a reason. */
  canReveal: boolean;
  /** The actions of the person; null for one who only reads. */
  actions: PaymentActions | null;
  scope: Scope;
  now: EpochMs;
};

function PaymentBody({ record, explanation, context, numbers, canReveal, actions, scope, now }: PaymentView) {
  const { collection } = record;
  const { playbook } = explanation;
  const isOfAll = scope.merchantId === null;
  const items = timelineItems(isOfAll ? timeline(record) : merchantTimeline(record), numbers);
  return (
    <>
      <p
        id="headline"
        class="lead"
        data-part
        data-live={`${paymentPath(collection.id)}/live`}
        data-version={getVersion(record)}
        data-final={explanation.nextStep.kind === 'none' ? '' : undefined}
      >
        {explanation.summary}
      </p>
      <p id="next-step" data-part>
        {explanation.nextStep.text}
      </p>
      <p id="live" class="muted small" role="status" />
      <div class="stack halves">
        <Card id="caller" title="Say to the caller">
          <SayBlock id="say-en" title="English" lang="en" text={playbook.tellPayer.en} />
          <SayBlock id="say-tw" title="Twi" lang="tw" text={playbook.tellPayer.tw} />
          {isOfAll && <Guidance playbook={playbook} />}
        </Card>
        <Amounts explanation={explanation} />
        <PaymentDetails record={record} explanation={explanation} numbers={numbers} scope={scope} />
        {canReveal && <Reveal id={collection.id} until={numbers.until} />}
        {actions && <Actions {...actions} />}
        <NotificationsCard
          id={collection.id}
          notifications={context.notifications}
          mayResend={actions !== null}
        />
        {isOfAll && <Blocks row={collection} blocks={context.blocks} mayBlock={actions !== null} />}
        <CaseSummary text={caseSummary(record, explanation, items)} />
      </div>
      <Timeline items={items} />
      <Related id={collection.id} now={now} {...context} />
    </>
  );
}

/** The case as plain text, to paste into a mail or a ticket. */
function CaseSummary({ text }: { text: string }) {
  return (
    <Card id="case-title" title="Case summary">
      <button type="button" data-copy="case" hidden>
        Copy the summary
      </button>
      <details>
        <summary>Plain text with masked numbers</summary>
        <pre id="case" data-part>
          {text}
        </pre>
      </details>
    </Card>
  );
}

/** The instructions for support staff. */
function Guidance({ playbook: { action, never } }: Pick<Explanation, 'playbook'>) {
  return (
    <div id="guidance" data-part>
      <p>
        <strong>Do:</strong> {action}
      </p>
      <p>
        <strong>Never:</strong> {never}
      </p>
    </div>
  );
}

type SayProps = { id: string; title: string; lang: string; text: string };

/** A text to read out. The script shows the button, which needs it. */
function SayBlock({ id, title, lang, text }: SayProps) {
  return (
    <div class="say">
      <h3>{title}</h3>
      <blockquote id={id} lang={lang} data-part>
        {text}
      </blockquote>
      <button type="button" data-copy={id} hidden>
        Copy
      </button>
    </div>
  );
}

function Amounts({ explanation: { expected, received } }: { explanation: Explanation }) {
  const lines: [name: string, expected: string, received: string][] = [
    ['Price', showAmount(expected.priceMinor), ''],
    ['Total shown', showAmount(expected.shownTotalMinor), ''],
    ['Total charged', showAmount(expected.totalMinor), showAmount(received?.amountMinor)],
    ['Fee', showAmount(expected.feeMinor), showAmount(received?.feeMinor)],
    ['To the merchant', showAmount(expected.netMinor), showAmount(received?.netMinor)],
    ['In suspense', '', showAmount(received?.suspendedMinor)],
  ];
  return (
    <Card id="amounts" title="Amounts">
      <table id="amount-lines" data-part>
        <thead>
          <tr>
            <td />
            <th scope="col" class="n">
              Expected
            </th>
            <th scope="col" class="n">
              Received
            </th>
          </tr>
        </thead>
        <tbody>
          {lines.map(([name, left, right]) => (
            <tr>
              <th scope="row">{name}</th>
              <td class="n">{left}</td>
              <td class="n">{right}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}

type DetailsProps = Pick<PaymentView, 'record' | 'explanation' | 'numbers' | 'scope'>;

function PaymentDetails({ record, explanation, numbers, scope }: DetailsProps) {
  const { collection, retriedAs, charges, actions } = record;
  const isOfAll = scope.merchantId === null;
  const { merchantId, livemode, channel, payer, network, dialler, reference } = collection;
  const link = (id: string | null) => (id === null ? '–' : <a href={paymentPath(id)}>{id}</a>);
  return (
    <Details
      part="detail-lines"
      lines={[
        ['Id', collection.id],
        ['Outcome', explanation.playbook.code],
        ['Reason', getReasons(collection) || '–'],
        ['Opened', showSecond(collection.openedAt)],
        ['Merchant', `${merchantId} (${livemode ? 'live' : 'test'}, channel ${channel})`],
        ['Payer', `${numbers.phone(payer)} on ${network}`],
        ['Dialled by', payer === dialler ? 'the payer' : numbers.phone(dialler)],
        isOfAll &&
          payer !== dialler && [
            'Its requests',
            <a href={`/console/abuse/${collection.id}`}>Requests of the phone that dialled</a>,
          ],
        ['Reference', numbers.text(reference)],
        ...toAnswers(collection, numbers.shown).map(
          ({ name, label, value }) => [`${label} (${name})`, value] as const,
        ),
        isOfAll && ['Assigned to', findAssignee(actions) ?? '–'],
        ['Retry of', link(collection.retryOf)],
        ['Retried as', link(retriedAs)],
        isOfAll && ['Payment session', collection.sessionId ?? '–'],
        ...charges.map(
          ({ id, amountMinor, state }) =>
            ['Charged again', [showAmount(amountMinor), state, ...(isOfAll ? [id] : [])].join(', ')] as const,
        ),
      ]}
    />
  );
}
