import { blockWords } from '../../contract/staff/staff.ts';
import type { EpochMs } from '../../shared/clock.ts';
import { type Msisdn, maskedText, operatorByPrefix, operatorTitles } from '../../shared/msisdn.ts';
import { Icon } from '../../shared/pages/icons.tsx';
import { plural } from '../../shared/plural.ts';
import { can } from '../access/permissions.ts';
import { computeTotal } from '../collection/collection.ts';
import { type CallerRole, type CallerView, callerRoles } from '../support/caller-query.ts';
import { sessionEndWords } from '../support/session-end.ts';
import {
  type ConsoleCall,
  type ConsoleContext,
  defineConsoleRoute,
  type PageContent,
} from './define-route.ts';
import { dialogueCallerPath, firstLine } from './dialogues.tsx';
import { Card, notFoundPage } from './parts/card.tsx';
import { maskedPhone, showAmount, showMoment, showNumber, showSpan, toQuery } from './parts/format.ts';
import { ButtonLink, CopyButton } from './parts/forms.tsx';
import { pageRows } from './parts/list.tsx';
import { PaymentStatus, paymentPath, RowLink, showReference, Table } from './parts/table.tsx';
import { clockFor } from './payments-filter.ts';
import { loadWhenMasked, MaskedAgain } from './reveal.tsx';
import { getScope, maskedNumbers, type NumberView, numbersFor } from './scope.ts';

/** Returns the address of the page of a phone of a payment. */
export function callerPath(paymentId: string, role: CallerRole): string {
  return `${paymentPath(paymentId)}/${role}`;
}

const noCaller = notFoundPage('No such caller', 'No payment and no dialogue has this id.');

/** The pages of one phone number. A payment or a dialogue names it, so that no number stands in an address. */
export const callerRoutes = [
  ...callerRoles.map((role) =>
    defineConsoleRoute(`GET /payments/:id/${role}`, { needs: 'payments.read' }, async (call, context) => {
      const { c, id, person, reads, show } = call;
      const record = await reads.payment(getScope(person), id);
      if (!record) return show(noCaller);
      const now = context.clock.now();
      const numbers = numbersFor(person, record, now);
      loadWhenMasked(c, numbers, now);
      const address = { path: callerPath(id, role), paymentId: id, numbers };
      return show(await callerPage(call, context, record.collection[role], address));
    }),
  ),
  defineConsoleRoute('GET /dialogues/:id/caller', { needs: 'cases.read' }, async (call, context) => {
    const { id, reads, show } = call;
    const msisdn = await reads.callerOf(id);
    const address = { path: dialogueCallerPath(id), paymentId: undefined, numbers: maskedNumbers };
    return show(msisdn === undefined ? noCaller : await callerPage(call, context, msisdn, address));
  }),
];

/** The address of a page, the payment that names the phone, and how its number is shown. */
type CallerAddress = { path: string; paymentId: string | undefined; numbers: NumberView };

async function callerPage(
  { person, query, reads }: ConsoleCall,
  { operations }: ConsoleContext,
  msisdn: Msisdn,
  { path, paymentId, numbers }: CallerAddress,
): Promise<PageContent> {
  const scope = getScope(person);
  const role = callerRoles.find((one) => one === query.role);
  const clock = clockFor(operations, person);
  const caller = await reads.caller(scope, msisdn, {
    ...{ livemode: operations.livemode, now: clock.now, role },
    ...{ limit: pageRows, after: query.after },
  });
  if (caller === 'unknown_cursor') return notFoundPage('No such page', 'Start with the first page.');
  const isOfAll = scope.merchantId === null;
  const mayReveal = paymentId !== undefined && can(person, 'numbers.reveal') && numbers.until === undefined;
  const view = {
    caller,
    msisdn,
    moment: (at: EpochMs) => showMoment(at, clock.now, clock.timeZone),
    now: clock.now,
    isOfAll,
  };
  const body = (
    <>
      <nav aria-label="Path" class="small">
        <a href="/console/payments">Payments</a> / <span class="muted">Caller</span>
      </nav>
      <MaskedAgain numbers={numbers} now={clock.now} />
      <header class="line between">
        <div>
          <h1>{numbers.phone(msisdn)}</h1>
          <p class="muted">{describeCaller(view)}</p>
        </div>
        {mayReveal && (
          <ButtonLink href={`${paymentPath(paymentId)}#numbers`}>
            <Icon name="eye" />
            Show whole numbers
          </ButtonLink>
        )}
      </header>
      <div class="stack rail">
        <div class="stack">
          <Say text={caller.text} />
          <Payments {...view} {...{ path, role }} />
        </div>
        {isOfAll && <Unplaced {...view} />}
        {isOfAll && (
          <div class="stack">
            <Dialogues {...view} />
          </div>
        )}
        {isOfAll && (
          <aside class="stack" aria-label="Blocks, notes and habits">
            <Blocks {...view} {...{ paymentId }} />
            <Notes {...view} />
            <Habits {...view} />
          </aside>
        )}
      </div>
    </>
  );
  return { title: `Caller ${maskedNumbers.phone(msisdn)}`, hasOwnHeading: true, body };
}

type View = {
  caller: CallerView;
  msisdn: Msisdn;
  moment(at: EpochMs): string;
  now: EpochMs;
  /** True for a person who reads all merchants. */
  isOfAll: boolean;
};

/** Describes a caller in one line. The operator is the one of the prefix: numbers are portable. */
function describeCaller({ caller: { counts, paid, lastAt }, msisdn, moment }: View): string {
  const operator = operatorByPrefix(msisdn);
  return [
    ...(operator === 'unknown' ? [] : [operatorTitles[operator]]),
    counts.payer + counts.dialler === 0
      ? 'no payment'
      : `${plural(counts.payer, 'payment')}${paid === null ? '' : `, ${paid} paid`}`,
    ...(lastAt === null ? [] : [`last dialled ${moment(lastAt)}`]),
  ].join(' · ');
}

/** The text to read out. */
function Say({ text }: { text: CallerView['text'] }) {
  return (
    text && (
      <Card id="say" title="Say to the caller" kind="call" aside={<CopyButton id="say-en" />}>
        <blockquote id="say-en" lang="en">
          {text.en}
        </blockquote>
        <details class="fold">
          <summary>In Twi</summary>
          <blockquote lang="tw">{text.tw}</blockquote>
        </details>
      </Card>
    )
  );
}

const roleTitles: Readonly<Record<CallerRole, string>> = { payer: 'As payer', dialler: 'For another phone' };

function Payments({
  caller,
  msisdn,
  moment,
  isOfAll,
  path,
  role,
}: View & { path: string; role: CallerRole | undefined }) {
  const { payments, counts } = caller;
  const choose = (one: CallerRole | undefined) => (
    <a href={`${path}${toQuery({ role: one })}`} aria-current={one === role ? 'true' : undefined}>
      {one === undefined ? 'Both roles' : roleTitles[one]}{' '}
      <small>{one === undefined ? counts.payer + counts.dialler : counts[one]}</small>
    </a>
  );
  return (
    <Table
      label="Payments of this number"
      title="Payments"
      aside={
        <nav class="choices" aria-label="Role">
          {[undefined, ...callerRoles].map(choose)}
        </nav>
      }
      columns={[
        [
          'Opened',
          ({ id, openedAt }) => <RowLink href={paymentPath(id)}>{moment(openedAt)}</RowLink>,
          'rest',
        ],
        ['Status', (row) => <PaymentStatus row={row} />, 'first'],
        ['Total, GHS', (row) => showNumber(computeTotal(row)), 'sum'],
        ['Role', (row) => <Role row={row} msisdn={msisdn} />, 'links'],
        isOfAll && ['Merchant', ({ merchantId }) => merchantId, 'rest'],
        ['Reference', (row) => showReference(row, maskedNumbers), 'pick'],
      ]}
      rows={payments.data}
      empty={<p>No payment of this number{role && ' in this role'}.</p>}
      after={
        payments.next !== null && (
          <a href={`${path}${toQuery({ role, after: payments.next })}`} rel="next">
            Show older payments, of {payments.total}
          </a>
        )
      }
    />
  );
}

/** The part of a caller in a payment. The other phone is a link to its own page. */
function Role({ row, msisdn }: { row: CallerView['payments']['data'][number]; msisdn: Msisdn }) {
  const { id, payer, dialler } = row;
  if (payer === dialler) return <>Payer</>;
  return payer === msisdn ? (
    <>
      Payer, requested by <a href={callerPath(id, 'dialler')}>{maskedPhone(dialler)}</a>
    </>
  ) : (
    <>
      Dialled for <a href={callerPath(id, 'payer')}>{maskedPhone(payer)}</a>
    </>
  );
}

function Unplaced({ caller: { unplaced }, moment, now }: View) {
  if (unplaced.length === 0) return null;
  return (
    <aside class="stack" aria-label="Unplaced money">
      {unplaced.map(({ id, amountMinor, reason, reference, receivedAt }, at) => (
        <section class="card" aria-labelledby={`unplaced-${at}`}>
          <h2 id={`unplaced-${at}`}>
            <Icon name="coins" /> Unplaced money
          </h2>
          <p class="figure">{showAmount(amountMinor)}</p>
          <p class="small">
            {reason === 'second_charge' ? 'Charged a second time' : 'Reported'} {moment(receivedAt)}
            {reference !== null && <>, for reference {maskedText(reference)}</>}. In suspense for{' '}
            {showSpan(now - receivedAt)}.
          </p>
          <a class={`button actions${at === 0 ? ' primary' : ''}`} href={`/console/unplaced/${id}`}>
            Show this money
          </a>
        </section>
      ))}
    </aside>
  );
}

function Dialogues({ caller: { unopened }, moment }: View) {
  return (
    <Table
      label="Dialogues that came to nothing"
      title="Dialogues that came to nothing"
      columns={[
        [
          'Dialled',
          ({ dialogueId, startedAt }) => (
            <RowLink href={`/console/dialogues/${dialogueId}`}>{moment(startedAt)}</RowLink>
          ),
          'rest',
        ],
        ['Ended', ({ end }) => sessionEndWords[end], 'text'],
        ['Last screen', ({ lastScreen }) => <code>{maskedText(firstLine(lastScreen))}</code>, 'detail'],
      ]}
      rows={unopened}
      empty={<p>Every stored dialogue of this number opened a payment.</p>}
    />
  );
}

function Blocks({ caller: { blocks }, moment, paymentId }: View & { paymentId: string | undefined }) {
  return (
    <Card
      id="blocks"
      title={
        <>
          <Icon name="shield" /> Blocks
        </>
      }
    >
      {blocks.length === 0 && <p class="small">This number is not blocked.</p>}
      {blocks.map(({ role, merchantId, actor, at, until, reason }) => (
        <p class="small">
          <b>This number {blockWords[role]}</b> at {merchantId ?? 'all merchants'}. By {actor}, {moment(at)},{' '}
          {until === null ? 'until a person removes it' : `until ${moment(until)}`}: “{maskedText(reason)}”.
        </p>
      ))}
      <a
        class="button quiet"
        href={paymentId === undefined ? '/console/abuse' : `/console/abuse/${paymentId}`}
      >
        <Icon name="block" />
        Block a number
      </a>
    </Card>
  );
}

/** The habits of the payer. A payment that differs from them may not be the caller's own. */
function Habits({ caller: { habits } }: View) {
  if (habits === null) return null;
  const { payments, ownPhone, lowMinor, highMinor, answerMs } = habits;
  return (
    <Card id="habits" title="Habits">
      <p class="muted small">Of the newest {plural(payments, 'paid payment')}.</p>
      <dl class="small">
        <dt>Dialled by</dt>
        <dd>{ownPhone === payments ? 'this phone' : `this phone, ${ownPhone} of ${payments}`}</dd>
        <dt>Usual price</dt>
        <dd>
          {showAmount(lowMinor)}
          {highMinor !== lowMinor && ` to ${showNumber(highMinor)}`}
        </dd>
        {answerMs !== null && (
          <>
            <dt>Answers prompts</dt>
            <dd>in {showSpan(answerMs)} (median)</dd>
          </>
        )}
      </dl>
    </Card>
  );
}

function Notes({ caller: { notes }, moment }: View) {
  return (
    <Card id="notes" title="Notes">
      {notes.length === 0 && <p class="small">No note about these payments.</p>}
      {notes.map(({ subjectId, actor, at, text }) => (
        <>
          <p>
            <b>{actor}</b>{' '}
            <small>
              <a href={paymentPath(subjectId)}>{moment(at)}</a>
            </small>
          </p>
          <p class="small">{maskedText(text)}</p>
        </>
      ))}
    </Card>
  );
}
