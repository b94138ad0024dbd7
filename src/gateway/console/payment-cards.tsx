import { type BlockRole, blockRoles, blockWords } from '../../contract/staff/staff.ts';
import type { EpochMs } from '../../shared/clock.ts';
import { maskedText, maskNumbers } from '../../shared/msisdn.ts';
import { type CollectionRow, computeTotal } from '../collection/collection.ts';
import type { Block } from '../staff/block-query.ts';
import type { CollectionRecord } from '../support/collection-query.ts';
import { DeliveryStatus } from './deliveries.tsx';
import { nameAttempt } from './delivery-words.ts';
import { Card } from './parts/card.tsx';
import { showAmount, showClock, showMoment, showSecond } from './parts/format.ts';
import { PostButton, Select, Submit, TextArea, TextInput } from './parts/forms.tsx';
import { PaymentStatus, paymentPath } from './parts/table.tsx';
import type { PaymentContext } from './payment-query.ts';
import type { NumberView } from './scope.ts';

const dayMs = 24 * 3_600_000;

/** The duration of a block, by the value of the form. */
const lengths = {
  day: ['one day', dayMs],
  week: ['7 days', 7 * dayMs],
  month: ['30 days', 30 * dayMs],
  none: ['without an end', null],
} as const;

/** Returns the time at which a block of the form ends; undefined for another value. */
export function blockEnd(length: string | undefined, now: number): string | null | undefined {
  if (length === undefined || !Object.hasOwn(lengths, length)) return undefined;
  const [, ms] = lengths[length as keyof typeof lengths];
  return ms === null ? null : new Date(now + ms).toISOString();
}

/** The present time, and the zone of the merchant. */
type Times = { now: EpochMs; timeZone: string };

const nameBlock = (role: BlockRole) => `The ${role} ${blockWords[role]}`;

type BlocksProps = { row: CollectionRow; blocks: readonly Block[]; mayBlock: boolean } & Times;

/** The blocks that hold of the numbers of a payment. Nothing without one. */
export function Blocks({ row, blocks, mayBlock, ...times }: BlocksProps) {
  const own = blocks.filter((one) => one.msisdn === (one.role === 'dialler' ? row.dialler : row.payer));
  // An empty part, so that a block appears while the page is open.
  if (own.length === 0) return <section id="block-list" data-part hidden />;
  return (
    <Card id="blocks" title="Blocks" part="block-list">
      {own.map((one) => (
        <HeldBlock block={one} {...times} action={mayBlock ? `${paymentPath(row.id)}/unblock` : undefined} />
      ))}
    </Card>
  );
}

type HeldBlockProps = { block: Block; action: string | undefined } & Times;

function HeldBlock({ block, now, timeZone, action }: HeldBlockProps) {
  const { role, merchantId, until, actor, at, reason } = block;
  const place = merchantId === null ? 'all merchants' : merchantId;
  const id = `unblock-${block.seq}`;
  return (
    <>
      <p>
        <strong>{nameBlock(role)}</strong> at {place}
        {until !== null && <> until {showMoment(until, now, timeZone)}</>}: {maskedText(reason)} ({actor},{' '}
        {showMoment(at, now, timeZone)})
      </p>
      {action !== undefined && (
        <form method="post" action={action}>
          <input type="hidden" name="role" value={role} />
          <input type="hidden" name="everywhere" value={merchantId === null ? '1' : ''} />
          <label for={id}>Reason to remove the block</label>
          <input id={id} name="reason" maxlength={1_000} required autocomplete="off" />
          <Submit kind="quiet">Remove the block</Submit>
        </form>
      )}
    </>
  );
}

export function BlockForm({ action }: { action: string }) {
  return (
    <form class="form" method="post" action={action}>
      <Select
        id="block-role"
        name="role"
        label="What is blocked"
        choices={blockRoles.map((role) => [role, nameBlock(role)])}
      />
      <Select
        id="block-place"
        name="everywhere"
        label="Where"
        choices={[
          ['', 'at this merchant'],
          ['1', 'at all merchants'],
        ]}
        value="1"
      />
      <Select
        id="block-length"
        name="length"
        label="How long"
        choices={Object.entries(lengths).map(([value, [words]]) => [value, words])}
        value="week"
      />
      <TextInput id="block-reason" name="reason" label="Reason" required />
      <Submit kind="danger">Block the number</Submit>
    </form>
  );
}

type NotificationsProps = {
  id: string;
  notifications: PaymentContext['notifications'];
  timeZone: string;
  /** True when the person may send them again. */
  mayResend: boolean;
};

/** The notifications about a payment. Nothing without one. */
export function NotificationsCard({ id, notifications, timeZone, mayResend }: NotificationsProps) {
  // An empty part, so that the first notification appears while the page is open.
  if (notifications.length === 0) return <section id="notification-list" data-part hidden />;
  return (
    <Card id="notifications" title="Notifications to the merchant" part="notification-list">
      <ul class="stack tight">
        {notifications.map((one) => (
          <li>
            <Notification notification={one} timeZone={timeZone} />
            {mayResend && (
              <PostButton
                action={`/console/payments/${id}/resend`}
                text="Send again"
                label={`Send again: ${one.type} of ${showSecond(one.at, timeZone)}`}
                fields={{ endpoint: one.endpointId, event: one.eventId }}
                kind="quiet"
              />
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}

function Notification({
  notification: { type, state, url, attempts, last, nextAt },
  timeZone,
}: {
  notification: PaymentContext['notifications'][number];
  timeZone: string;
}) {
  const tries = `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`;
  const result = last ? `, the last one ${nameAttempt(last)} in ${last.durationMs} ms` : '';
  return (
    <>
      {type} <DeliveryStatus state={state} />
      <br />
      <small>
        {maskNumbers(url)}: {tries}
        {result}
        {nextAt !== null && `, next ${showClock(nextAt, timeZone)}`}
      </small>
    </>
  );
}

type RelatedProps = { id: string } & Times & Pick<PaymentContext, 'retries' | 'sameReference' | 'samePayer'>;

/** Payments that belong to a payment, linked by their ids: no address has a number. */
export function Related({ id, now, timeZone, retries, sameReference, samePayer }: RelatedProps) {
  const isEmpty = retries.length + sameReference.length + samePayer.length === 0;
  return (
    <Card
      id="related"
      title="Related payments"
      part="related-payments"
      aside={!isEmpty && <a href={`${paymentPath(id)}/payer`}>Show all of this payer</a>}
    >
      {isEmpty && <p class="muted small">No other payment is of this payer, or has this reference.</p>}
      <Group title="Attempts of the same payment" rows={retries} {...{ now, timeZone }} />
      <Group title="With the same reference" rows={sameReference} {...{ now, timeZone }} />
      <Group title="Of the same payer" rows={samePayer} {...{ now, timeZone }} />
    </Card>
  );
}

type GroupProps = { title: string; rows: readonly CollectionRow[] } & Times;

function Group({ title, rows, now, timeZone }: GroupProps) {
  return rows.length === 0 ? null : (
    <div class="stack tight">
      <h3>{title}</h3>
      <ul class="stack tight small">
        {rows.map((row) => (
          <li class="line">
            <a href={paymentPath(row.id)}>{showAmount(computeTotal(row))}</a>
            <PaymentStatus row={row} />
            <span class="muted end">{showMoment(row.openedAt, now, timeZone)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

export type Note = { at: EpochMs; by: string; text: string };

/** Returns the notes about a payment, oldest first. */
export function listPaymentNotes(
  { actions }: Pick<CollectionRecord, 'actions'>,
  numbers: NumberView,
): Note[] {
  return actions
    .filter(({ action, result }) => action === 'note' && result !== 'refused')
    .map(({ at, actor, detail }) => ({ at, by: actor, text: numbers.text(String(JSON.parse(detail).text)) }));
}

type NotesProps = { id: string; notes: readonly Note[]; now: EpochMs; timeZone: string; mayWrite: boolean };

export function Notes({ id, notes, now, timeZone, mayWrite }: NotesProps) {
  const title = (
    <>
      Notes <span class="muted">{notes.length}</span>
    </>
  );
  return (
    <Card id="notes" title={title}>
      <ol id="note-list" class="stack tight" data-part>
        {notes.map(({ at, by, text }) => (
          <li>
            <p>
              <b>{by}</b> <small>{showMoment(at, now, timeZone)}</small>
            </p>
            <p>
              {text
                .split(/(@[a-z][a-z0-9._-]*)/)
                .map((part) => (part.startsWith('@') ? <b>{part}</b> : part))}
            </p>
          </li>
        ))}
      </ol>
      {mayWrite && (
        <form id="note" data-part method="post" action={`/console/payments/${id}/notes`}>
          <TextArea
            id="text"
            label="Add a note"
            rows={2}
            value=""
            hint="@name mentions a person. Phone numbers are masked."
          />
          <button type="submit">Add the note</button>
        </form>
      )}
    </Card>
  );
}
