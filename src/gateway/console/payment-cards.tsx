import { type BlockRole, blockRoles } from '../../contract/staff/staff.ts';
import type { EpochMs } from '../../shared/clock.ts';
import { maskNumbers } from '../../shared/msisdn.ts';
import type { CollectionRow } from '../collection/collection.ts';
import type { Block } from '../staff/block-query.ts';
import { DeliveryStatus } from './deliveries.tsx';
import { Card } from './parts/card.tsx';
import { showSecond } from './parts/format.ts';
import { Back, PostButton, Select, TextInput } from './parts/forms.tsx';
import { paymentPath, paymentTable, Table } from './parts/table.tsx';
import type { PaymentContext } from './payment-query.ts';
import { maskedNumbers } from './scope.ts';

const dayMs = 24 * 3_600_000;

/** The duration of a block, by the value of the form. */
const lengths = {
  day: ['one day', dayMs],
  week: ['7 days', 7 * dayMs],
  month: ['30 days', 30 * dayMs],
  none: ['without an end', null],
} as const;

const roleWords: Readonly<Record<BlockRole, string>> = {
  dialler: 'The dialler cannot request payments',
  payer: 'The payer cannot be asked by other phones',
};

/** Returns the time at which a block of the form ends; undefined for another value. */
export function blockEnd(length: string | undefined, now: number): string | null | undefined {
  if (length === undefined || !Object.hasOwn(lengths, length)) return undefined;
  const [, ms] = lengths[length as keyof typeof lengths];
  return ms === null ? null : new Date(now + ms).toISOString();
}

type BlocksProps = { row: CollectionRow; blocks: readonly Block[]; mayBlock: boolean };

/** The blocks that hold of the numbers of a payment, and the form for one more. */
export function Blocks({ row, blocks, mayBlock }: BlocksProps) {
  const own = blocks.filter((one) => one.msisdn === (one.role === 'dialler' ? row.dialler : row.payer));
  // An empty part, so that a block appears while the page is open.
  if (own.length === 0 && !mayBlock) return <section id="block-list" data-part hidden />;
  const base = `/console/payments/${row.id}`;
  return (
    <Card id="blocks" title="Blocks" part="block-list">
      {own.length === 0 && <p>No number of this payment is blocked.</p>}
      {own.map((one) => (
        <HeldBlock block={one} action={mayBlock ? `${base}/unblock` : undefined} />
      ))}
      {mayBlock && (
        <details>
          <summary>Block a number of this payment</summary>
          <BlockForm action={`${base}/block`} />
        </details>
      )}
    </Card>
  );
}

function HeldBlock({ block, action }: { block: Block; action: string | undefined }) {
  const { role, merchantId, until, actor, at, reason } = block;
  const place = merchantId === null ? 'all merchants' : merchantId;
  const id = `unblock-${block.seq}`;
  return (
    <>
      <p>
        <strong>{roleWords[role]}</strong> at {place}
        {until !== null && <> until {showSecond(until)} UTC</>}: {maskNumbers(reason)} ({actor},{' '}
        {showSecond(at)})
      </p>
      {action !== undefined && (
        <form method="post" action={action}>
          <input type="hidden" name="role" value={role} />
          <input type="hidden" name="everywhere" value={merchantId === null ? '1' : ''} />
          <label for={id}>Reason to remove the block</label>
          <input id={id} name="reason" maxlength={1_000} required autocomplete="off" />
          <button type="submit" class="quiet">
            Remove the block
          </button>
        </form>
      )}
    </>
  );
}

function BlockForm({ action }: { action: string }) {
  return (
    <form method="post" action={action}>
      <Select
        id="block-role"
        name="role"
        label="What is blocked"
        choices={blockRoles.map((role) => [role, roleWords[role]])}
      />
      <Select
        id="block-place"
        name="everywhere"
        label="Where"
        choices={[
          ['', 'at this merchant'],
          ['1', 'at all merchants'],
        ]}
      />
      <Select
        id="block-length"
        name="length"
        label="How long"
        choices={Object.entries(lengths).map(([value, [words]]) => [value, words])}
      />
      <TextInput id="block-reason" name="reason" label="Reason" required />
      <button type="submit">Block</button>
    </form>
  );
}

type NotificationsProps = {
  id: string;
  notifications: PaymentContext['notifications'];
  /** True when the person may send them again. */
  mayResend: boolean;
};

/** The notifications about a payment. Nothing without one. */
export function NotificationsCard({ id, notifications, mayResend }: NotificationsProps) {
  // An empty part, so that the first notification appears while the page is open.
  if (notifications.length === 0) return <section id="notification-list" data-part hidden />;
  return (
    <Card id="notifications" title="Notifications to the merchant" part="notification-list">
      <ul>
        {notifications.map((one) => (
          <li>
            <Notification notification={one} />
            {mayResend && (
              <PostButton
                action={`/console/payments/${id}/resend`}
                text="Send again"
                label={`Send again: ${one.type} of ${showSecond(one.at)}`}
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
}: {
  notification: PaymentContext['notifications'][number];
}) {
  const tries = `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`;
  const result = last
    ? `, the last one ${last.status ?? last.error ?? 'no answer'} in ${last.durationMs} ms`
    : '';
  return (
    <>
      {type} <DeliveryStatus state={state} />
      <br />
      <small>
        {maskNumbers(url)}: {tries}
        {result}
        {nextAt !== null && `, next ${showSecond(nextAt).slice(11)} UTC`}
      </small>
    </>
  );
}

type RelatedProps = { id: string; now: EpochMs } & Pick<
  PaymentContext,
  'retries' | 'sameReference' | 'samePayer'
>;

/** Payments that belong to a payment, linked by their ids: no address has a number. */
export function Related({ id, now, retries, sameReference, samePayer }: RelatedProps) {
  const isEmpty = retries.length + sameReference.length + samePayer.length === 0;
  return (
    <section id="related-payments" data-part aria-labelledby="related">
      <h2 id="related">Related payments</h2>
      {isEmpty && <p>None.</p>}
      <Group title="Attempts of the same payment" rows={retries} now={now} />
      <Group title="With the same reference" rows={sameReference} now={now} />
      <Group title="Of the same payer" rows={samePayer} now={now} />
      {!isEmpty && <Back path={`${paymentPath(id)}/payer`} text="All payments of this payer" />}
    </section>
  );
}

function Group({ title, rows, now }: { title: string; rows: readonly CollectionRow[]; now: EpochMs }) {
  return rows.length === 0 ? null : (
    <>
      <h3>{title}</h3>
      <Table {...paymentTable(title, rows, maskedNumbers, { now, hasNoDays: true })} />
    </>
  );
}
