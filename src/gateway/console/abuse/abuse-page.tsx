import { blockRoles } from '../../../contract/staff/staff.ts';
import type { EpochMs } from '../../../shared/clock.ts';
import type { PageContent } from '../define-route.ts';
import { Message } from '../page.tsx';
import { amountColumn, DataTable } from '../pages/data-table.tsx';
import { showSpan, showTime } from '../pages/format.ts';
import { paymentPath } from '../pages/payment-table.tsx';
import type { DiallerHistory, readBlocks, readRefusedDiallers } from './abuse-query.ts';
import { BlockFields, Blocks, maskedPhone, roleWords } from './block-parts.tsx';

export type AbuseView = {
  diallers: Awaited<ReturnType<typeof readRefusedDiallers>>;
  blocks: Awaited<ReturnType<typeof readBlocks>>;
  now: EpochMs;
  days: number;
  /** The merchants of the form; undefined for a person who only reads. */
  merchants: readonly string[] | undefined;
  message?: string | undefined;
};

/** Returns the page of phones whose requests were declined, and of the blocks that hold. */
export function abusePage({ diallers, blocks, now, days, merchants, message }: AbuseView): PageContent {
  const { data, isCut } = diallers;
  const body = (
    <>
      <Message text={message} />
      <h2>Declined requests of {days} days</h2>
      <p class="note">
        Phones that asked other phones to pay, and the phones that declined.
        {isCut && ' Older requests of these days were not searched.'}
      </p>
      {data.length === 0 ? (
        <p>None</p>
      ) : (
        <DataTable
          label="Declined requests"
          columns={[
            ...['Phone', 'Of', amountColumn('Phones that declined'), amountColumn('Declined')],
            ...['Last', 'Block'],
          ]}
          rows={data.map((one) => [
            <a href={`/console/abuse/${one.paymentId}`}>{maskedPhone(one.dialler)}</a>,
            one.requestedBy === 'attendant' ? 'an attendant' : 'another person',
            one.victims,
            one.declined,
            `${showSpan(Math.max(0, now - one.lastAt))} ago`,
            one.isBlocked ? 'blocked' : '–',
          ])}
        />
      )}
      <h2>Blocks</h2>
      <p class="note">
        {blocks.data.length} of {blocks.total} that hold, newest first
      </p>
      {blocks.data.length > 0 && <Blocks blocks={blocks.data} mayChange={merchants !== undefined} />}
      {blocks.next !== null && (
        <p>
          <a href={`/console/abuse?before=${blocks.next}`}>Older blocks</a>
        </p>
      )}
      {merchants && (
        <section class="card" aria-labelledby="block">
          <h2 id="block">Block a phone</h2>
          <form method="post" action="/console/abuse/blocks">
            <label for="number">Phone number</label>
            <input id="number" name="number" maxlength={20} required autocomplete="off" inputmode="tel" />
            <label for="role">What</label>
            <select id="role" name="role">
              {blockRoles.map((role) => (
                <option value={role}>{roleWords[role]}</option>
              ))}
            </select>
            <BlockFields merchants={merchants} />
          </form>
        </section>
      )}
    </>
  );
  return { title: 'Abuse', body };
}

export type DiallerView = Pick<AbuseView, 'now' | 'days' | 'merchants' | 'message'> & {
  history: DiallerHistory;
};

/** Returns the page of the phone that requested a payment: whom it asked, and its blocks. */
export function diallerPage({ history, now, days, merchants, message }: DiallerView): PageContent {
  const { payment, victims, blocks } = history;
  const [dialler, payer] = [payment.dialler, payment.payer].map(maskedPhone);
  const body = (
    <>
      <Message text={message} />
      <p>
        It requested <a href={paymentPath(payment.id)}>a payment</a> at {payment.merchantId}
        {payment.requestedBy === 'payer' ? ' for itself' : ` from ${payer}`}.
      </p>
      <h2>Phones that it asked in {days} days</h2>
      {victims.length === 0 ? (
        <p>None</p>
      ) : (
        <DataTable
          label="Phones that were asked"
          columns={['Payer', amountColumn('Requests'), amountColumn('Declined'), 'Last request (UTC)']}
          rows={victims.map((one) => [
            <a href={`/console/abuse/${one.paymentId}`}>{maskedPhone(one.payer)}</a>,
            one.requests,
            one.declined,
            <>
              <a href={paymentPath(one.paymentId)}>{showTime(one.lastAt)}</a>
              {', '}
              {showSpan(Math.max(0, now - one.lastAt))} ago
            </>,
          ])}
        />
      )}
      <h2>Blocks of these phones</h2>
      {blocks.length === 0 ? <p>None</p> : <Blocks blocks={blocks} mayChange={merchants !== undefined} />}
      {merchants && (
        <section class="card" aria-labelledby="block">
          <h2 id="block">Block</h2>
          <form method="post" action="/console/abuse/blocks">
            <input type="hidden" name="payment" value={payment.id} />
            <label for="role">What</label>
            <select id="role" name="role">
              <option value="dialler">
                {dialler} {roleWords.dialler}
              </option>
              <option value="payer">
                {payer} {roleWords.payer}
              </option>
            </select>
            <BlockFields merchants={merchants} />
          </form>
        </section>
      )}
    </>
  );
  return { title: `Requests of ${dialler}`, body };
}
