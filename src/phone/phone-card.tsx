import { formatCedis } from '../shared/money.ts';
import type { PendingPrompt } from '../simulator/prompts.ts';
import type { BrowserPhone, PhoneChannel } from './browser-phone.ts';
import { DialFields, maxInputLength } from './forms.tsx';
import type { PhonePayment } from './records.ts';
import type { ScreenRoom } from './screen-room.ts';
import type { WireEntry } from './wire-log.ts';

export type PhoneCardView = {
  phone: BrowserPhone;
  /** The number and the operator. */
  title: string;
  channels: readonly PhoneChannel[];
  /** Returns the address of a payment in the console; `undefined` without a console. */
  paymentUrl(paymentId: string): string | undefined;
};

/** One phone with its screen, its prompts and its wire log. */
export function PhoneCard({ phone, title, channels, paymentUrl }: PhoneCardView) {
  const { id } = phone;
  const view = phone.view();
  const {
    version,
    channelId,
    screen,
    room,
    fault,
    isOpen,
    isUnreported,
    prompts,
    promptFault,
    payment,
    wire,
    turn,
  } = view;
  const action = (name: string) => `/phone/${id}/${name}`;
  return (
    <section class="phone" id={`phone-${id}`} data-version={version} aria-labelledby={`title-${id}`}>
      <h2 id={`title-${id}`}>{title}</h2>
      <div class="handset">
        <pre class="screen" data-screen={turn} tabindex={-1}>
          {screen?.text ?? ''}
        </pre>
        {fault !== undefined && <p role="alert">{fault}</p>}
        {room && <Room room={room} />}
        {isOpen ? (
          <>
            <AnswerForm id={id} action={action('answer')} turn={turn} />
            <form method="post" action={action('hang-up')}>
              <button type="submit">Hang up</button>
            </form>
          </>
        ) : (
          <p class="note">
            {screen ? 'The session has ended.' : 'No session is open.'}
            {isUnreported && ' The aggregator of this channel sends no end notice, so the gateway got none.'}
          </p>
        )}
      </div>
      {prompts.map((prompt) => (
        <PromptSheet prompt={prompt} phoneId={id} />
      ))}
      {promptFault !== undefined && <p role="alert">{promptFault}</p>}
      {payment && <Payment payment={payment} url={paymentUrl(payment.id)} />}
      <details class="again" open={!isOpen && prompts.length === 0 && payment?.state !== 'waiting'}>
        <summary>Dial again</summary>
        <form method="post" action={action('dial')}>
          <DialFields channels={channels} prefix={`dial-${id}`} channelId={channelId} code="" />
          <button type="submit">Dial</button>
        </form>
      </details>
      <WireLog entries={wire} />
      <div class="actions">
        <a href={action('transcript')} data-copy>
          Copy as transcript
        </a>
        <form method="post" action={action('remove')}>
          <button type="submit">Remove this phone</button>
        </form>
      </div>
    </section>
  );
}

function AnswerForm({ id, action, turn }: { id: string; action: string; turn: number }) {
  return (
    <form class="answer" method="post" action={action}>
      <input type="hidden" name="turn" value={turn} />
      <label for={`input-${id}`}>Answer</label>
      <input
        id={`input-${id}`}
        name="input"
        required
        maxlength={maxInputLength}
        autocomplete="off"
        spellcheck={false}
        data-answer
      />
      <button type="submit" class="primary">
        Send
      </button>
      <fieldset class="keypad" aria-label="Keypad">
        {Array.from('123456789*0#', (key) => (
          <button type="button" data-key={key}>
            {key}
          </button>
        ))}
      </fieldset>
    </form>
  );
}

function Room({ room: { sentIn, gsm, ucs2 } }: { room: ScreenRoom }) {
  const describe = (name: string, { limit, left }: { limit: number; left: number }) =>
    left >= 0 ? `${left} of ${limit} characters left in ${name}` : `${-left} too many for ${name} (${limit})`;
  const inGsm = describe('GSM 7-bit', gsm);
  const inUcs2 = describe('UCS-2', ucs2);
  return <p class="note">{sentIn === 'gsm' ? `${inGsm}; ${inUcs2}` : `${inUcs2}; ${inGsm}`}.</p>;
}

function PromptSheet({ prompt, phoneId }: { prompt: PendingPrompt; phoneId: string }) {
  const { id, amount_minor, merchant_name, expires_at, magic } = prompt;
  return (
    <form class="prompt" method="post" action={`/phone/${phoneId}/prompts/${id}`} data-prompt={id}>
      <h3>
        Pay {formatCedis(amount_minor)} to {merchant_name}?
      </h3>
      <p class="note">
        The mobile-money prompt expires at {expires_at.slice(11, 19)} UTC.
        {magic === undefined ? '' : ` This number answers it by itself (${magic}).`}
      </p>
      <label for={`pin-${id}`}>PIN of four digits</label>
      <input
        id={`pin-${id}`}
        name="pin"
        type="password"
        inputmode="numeric"
        maxlength={4}
        autocomplete="off"
        data-pin
      />
      <button type="submit" class="primary" name="decision" value="approve">
        Approve
      </button>{' '}
      <button type="submit" name="decision" value="decline">
        Decline
      </button>{' '}
      <button type="submit" name="decision" value="ignore">
        Ignore
      </button>
    </form>
  );
}

const states: Readonly<Record<PhonePayment['state'], string>> = {
  waiting: 'waits for the prompt and its PIN',
  confirming: 'paid, and not yet confirmed by a status poll',
  paid: 'paid',
  failed: 'not paid',
  unknown: 'the result is not known yet, or a person must decide',
};

function Payment({
  payment: { id, state, chargeMinor, shortReference, reason },
  url,
}: {
  payment: PhonePayment;
  url: string | undefined;
}) {
  return (
    <p class="payment" data-state={state}>
      <strong>
        {formatCedis(chargeMinor)}: {states[state]}
      </strong>
      {reason === null ? '' : ` (${reason})`}. Reference {shortReference}.{' '}
      {url === undefined ? <code>{id}</code> : <a href={url}>Open in console</a>}
    </p>
  );
}

function WireLog({ entries }: { entries: readonly WireEntry[] }) {
  return (
    <details class="wire">
      <summary>Requests and answers ({entries.length})</summary>
      <ol reversed>
        {entries.map((entry) => (
          <li value={entry.number}>
            <p>
              <code>{entry.request}</code> {entry.requestType}
            </p>
            {entry.requestBody !== '' && <pre>{entry.requestBody}</pre>}
            <p>
              <code>{entry.answer}</code> {entry.answerType}
            </p>
            {entry.answerBody !== '' && <pre>{entry.answerBody}</pre>}
          </li>
        ))}
      </ol>
    </details>
  );
}
