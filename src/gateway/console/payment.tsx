import type { EpochMs } from '../../shared/clock.ts';
import { maskedNumber, nameNetwork, type Operator, operatorTitles } from '../../shared/msisdn.ts';
import { Icon } from '../../shared/pages/icons.tsx';
import { plural } from '../../shared/plural.ts';
import { showShortReference } from '../../shared/short-reference.ts';
import { can } from '../access/permissions.ts';
import { toAnswers } from '../collection/answers.ts';
import { type CollectionRow, computeTotal } from '../collection/collection.ts';
import { findAssignee } from '../support/action-query.ts';
import type { CollectionRecord } from '../support/collection-query.ts';
import { describeNextStep, type Explanation, explain } from '../support/explain.ts';
import { merchantTimeline } from '../support/merchant-timeline.ts';
import type { Scope } from '../support/page.ts';
import { timeline } from '../support/timeline.ts';
import { defineConsoleRoute } from './define-route.ts';
import { Card, Chip, Details } from './parts/card.tsx';
import { getReasons, showAmount, showMoment, showNumber, showSecond } from './parts/format.ts';
import { CopyButton, FormBehind } from './parts/forms.tsx';
import { PaymentStatus, paymentPath, showReference, TableHead } from './parts/table.tsx';
import { Actions, type PaymentActions, readActions } from './payment-actions.tsx';
import {
  BlockForm,
  Blocks,
  listPaymentNotes,
  type Note,
  Notes,
  NotificationsCard,
  Related,
} from './payment-cards.tsx';
import { getVersion, type PaymentContext } from './payment-query.ts';
import { caseSummary, Timeline, timelineItems } from './payment-timeline.tsx';
import { noPayment } from './payments.tsx';
import { loadWhenMasked, MaskedAgain, Reveal } from './reveal.tsx';
import { getScope, type NumberView, numbersFor } from './scope.ts';

export const paymentPageRoutes = [
  defineConsoleRoute('GET /payments/:id', { needs: 'payments.read' }, async (call, { operations, clock }) => {
    const { c, id, person, reads, show } = call;
    const scope = getScope(person);
    const record = await reads.payment(scope, id);
    if (!record) return show(noPayment);
    const now = clock.now();
    const numbers = numbersFor(person, record, now);
    loadWhenMasked(c, numbers, now);
    const { collection } = record;
    const view: PaymentView = {
      ...{ record, explanation: explain(record, now, numbers.phone), numbers, scope, now },
      timeZone: operations.timeZone(collection.merchantId),
      context: await reads.paymentContext(scope, collection, now),
      canReveal: can(person, 'numbers.reveal'),
      actions: can(person, 'payments.note') ? await readActions(operations, record, person) : null,
    };
    const title = `Payment ${showShortReference(collection.shortReference)}`;
    return show({ title, hasOwnHeading: true, body: <PaymentBody {...view} /> });
  }),
];

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
  timeZone: string;
};

function PaymentPath({ row }: { row: CollectionRow }) {
  return (
    <nav aria-label="Path" class="small">
      <a href="/console/payments">Payments</a> /{' '}
      <span class="muted">{showShortReference(row.shortReference)}</span>
    </nav>
  );
}

function PaymentBody(view: PaymentView) {
  const { record, explanation, context, numbers, canReveal, actions, scope, now, timeZone } = view;
  const { collection } = record;
  const isOfAll = scope.merchantId === null;
  const items = timelineItems(isOfAll ? timeline(record) : merchantTimeline(record), numbers);
  const summary = caseSummary(record, explain(record, now, maskedNumber), items);
  const notes = listPaymentNotes(record, numbers);
  return (
    <>
      <PaymentPath row={collection} />
      <MaskedAgain numbers={numbers} now={now} />
      <PaymentHead {...view} notes={notes} />
      <div class="stack rail">
        <div class="stack">
          <WhatHappened {...view} />
          <Say playbook={explanation.playbook} isOfAll={isOfAll} />
        </div>
        {actions && (
          <aside class="stack" aria-label="Actions">
            <Actions {...actions} advice={explanation.playbook.action}>
              {canReveal && <Reveal id={collection.id} until={numbers.until} timeZone={timeZone} />}
              <FormBehind text="Block a number" icon="block" kind="quiet">
                <BlockForm action={`${paymentPath(collection.id)}/block`} />
              </FormBehind>
              <CopyButton id="case" text="Copy the case summary" />
            </Actions>
          </aside>
        )}
        <div class="stack">
          {isOfAll && <Notes id={collection.id} {...{ notes, now, timeZone }} mayWrite={actions !== null} />}
          <Timeline {...{ items, now, timeZone }} isFinal={explanation.nextStep.kind === 'none'} />
        </div>
        <aside class="stack" aria-label="Details">
          <PaymentDetails {...view} />
          <Related id={collection.id} {...{ now, timeZone }} {...context} />
          {isOfAll && (
            <Blocks
              row={collection}
              blocks={context.blocks}
              {...{ now, timeZone }}
              mayBlock={actions !== null}
            />
          )}
          <NotificationsCard
            id={collection.id}
            notifications={context.notifications}
            timeZone={timeZone}
            mayResend={actions !== null}
          />
          <CaseSummary text={summary} />
        </aside>
      </div>
    </>
  );
}

/** The amount, the status, and who pays whom. */
function PaymentHead({
  record: { collection },
  numbers,
  scope,
  now,
  timeZone,
  notes,
}: PaymentView & { notes: readonly Note[] }) {
  const { id, merchantId, payer, dialler, network, openedAt, shortReference } = collection;
  const last = notes.at(-1);
  return (
    <header class="stack tight">
      <div class="line">
        <h1>
          <span class="figure">
            <small>GHS</small> {showNumber(computeTotal(collection))}
          </span>
          <span class="unseen"> Payment {showShortReference(shortReference)}</span>
        </h1>
        <PaymentStatus row={collection} id="status" />
      </div>
      <p class="muted">
        to <b>{merchantId}</b> · from <a href={`${paymentPath(id)}/payer`}>{numbers.phone(payer)}</a>,{' '}
        {operatorTitles[network as Operator]} · {showMoment(openedAt, now, timeZone)} · reference{' '}
        <b>{showReference(collection, numbers)}</b>
        {payer !== dialler && (
          <>
            {' '}
            · requested by <b>{numbers.phone(dialler)}</b>
          </>
        )}
      </p>
      {last && scope.merchantId === null && (
        <p class="small">
          <Icon name="note" />{' '}
          <b>
            {last.by}, {showMoment(last.at, now, timeZone)}:
          </b>{' '}
          {last.text} <a href="#notes">{plural(notes.length, 'note')}</a>
        </p>
      )}
    </header>
  );
}

function WhatHappened({ record, explanation, now, timeZone }: PaymentView) {
  const { collection } = record;
  const { summary, nextStep } = explanation;
  return (
    <section class="card" aria-labelledby="what">
      <h2 id="what" class="unseen">
        What happened
      </h2>
      <p
        id="headline"
        class="lead"
        data-part
        data-live={`${paymentPath(collection.id)}/live`}
        data-version={getVersion(record)}
        data-final={nextStep.kind === 'none' ? '' : undefined}
      >
        {summary}
      </p>
      <p id="next-step" data-part>
        {describeNextStep(nextStep, now, timeZone)}
      </p>
      <Amounts merchantId={collection.merchantId} explanation={explanation} />
    </section>
  );
}

/** The text to read out, and for support staff what never to say. */
function Say({ playbook, isOfAll }: { playbook: Explanation['playbook']; isOfAll: boolean }) {
  const { en, tw } = playbook.tellPayer;
  return (
    <Card id="caller" title="Say to the caller" aside={<CopyButton id="say-en" />} kind="call">
      <blockquote id="say-en" lang="en" data-part>
        {en}
      </blockquote>
      <details class="fold">
        <summary>In Twi</summary>
        <blockquote id="say-tw" lang="tw" data-part>
          {tw}
        </blockquote>
        <CopyButton id="say-tw" text="Copy the Twi text" />
      </details>
      {isOfAll && (
        <p id="never" class="small" data-part>
          <b>{playbook.never}</b>
        </p>
      )}
    </Card>
  );
}

/** The case as plain text, to paste into a mail or a ticket. */
function CaseSummary({ text }: { text: string }) {
  return (
    <Card id="case-title" title="Case summary">
      <details class="fold">
        <summary>Plain text with masked numbers</summary>
        <pre id="case" data-part>
          {text}
        </pre>
      </details>
    </Card>
  );
}

/** The amounts of the quote beside those that arrived. */
function Amounts({ merchantId, explanation }: { merchantId: string; explanation: Explanation }) {
  const { expected, received } = explanation;
  const { priceMinor, shownTotalMinor, totalMinor, feeMinor, netMinor } = expected;
  const lines: [name: string, expected: number | null, received: number | null | undefined][] = [
    ['Price', priceMinor, undefined],
    ...(shownTotalMinor !== null && shownTotalMinor !== totalMinor
      ? [['Total shown', shownTotalMinor, undefined] as [string, number, undefined]]
      : []),
    ['Charged to the payer', totalMinor, received?.amountMinor ?? null],
    ['Fee of the service', feeMinor, received?.feeMinor ?? null],
    [`To ${merchantId}`, netMinor, received?.netMinor ?? null],
    ['In suspense', null, received?.suspendedMinor ?? null],
  ];
  return (
    <table id="amount-lines" class="list" data-part>
      <TableHead
        columns={[
          ['Amount', 'unseen'],
          ['Expected, GHS', 'n'],
          ['Received, GHS', 'n'],
          ['Difference, GHS', 'n'],
        ]}
      />
      <tbody>
        {lines.map(([name, left, right]) => (
          <tr>
            <th scope="row" class="full">
              {name}
            </th>
            <td class="n" data-label="expected">
              {showNumber(left)}
            </td>
            <td class="n" data-label="received">
              {right === undefined ? '' : showNumber(right)}
            </td>
            <td class="n end">{right == null || left === null ? '' : <Difference minor={right - left} />}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The difference between what arrived and what was expected. */
function Difference({ minor }: { minor: number }) {
  if (minor === 0) return <span class="muted">none</span>;
  return <Chip tone="bad">{minor > 0 ? `+${showNumber(minor)}` : showNumber(minor)}</Chip>;
}

type DetailsProps = Pick<PaymentView, 'record' | 'explanation' | 'numbers' | 'scope' | 'timeZone'>;

function PaymentDetails({ record, explanation, numbers, scope, timeZone }: DetailsProps) {
  const { collection, retriedAs, charges, actions } = record;
  const isOfAll = scope.merchantId === null;
  const { merchantId, livemode, channel, payer, network, dialler, reference } = collection;
  const link = (id: string | null) => (id === null ? '–' : <a href={paymentPath(id)}>{id}</a>);
  return (
    <Details
      part="detail-lines"
      lines={[
        ['Outcome', explanation.playbook.code],
        ['Reason', getReasons(collection) || '–'],
        ['Payment', <code>{collection.id}</code>],
        [
          'Opened',
          <time datetime={new Date(collection.openedAt).toISOString()}>
            {showSecond(collection.openedAt, timeZone)}
          </time>,
        ],
        ['Merchant', `${merchantId} (${livemode ? 'live' : 'test'})`],
        ['Channel', channel],
        ['Payer', `${numbers.phone(payer)} on ${nameNetwork(network)}`],
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
