import type { Child } from 'hono/jsx';
import { Chip } from '../gateway/console/parts/card.tsx';
import { showAmount, showClock, spacedNumber } from '../gateway/console/parts/format.ts';
import { type Msisdn, operatorTitles } from '../shared/msisdn.ts';
import { Icon } from '../shared/pages/icons.tsx';
import { showShortReference } from '../shared/short-reference.ts';
import type { PendingPrompt } from '../simulator/prompts.ts';
import type { BrowserPhone, PhoneChannel, PhoneView } from './browser-phone.ts';
import { DialFields, maxInputLength, type PhoneProblem, ProblemText } from './forms.tsx';
import type { LedgerEntry } from './ledger-entry.ts';
import type { ScreenRoom } from './screen-room.ts';

type SoftKey = { words: string; icon: 'call' | 'paid'; name?: string; value?: string; action?: string };

type HandsetProps = {
  network: string;
  time: string;
  /** The form that the softkeys send. */
  form: string;
  send: SoftKey;
  /** The red softkey; `reset` empties the form. */
  end: SoftKey | { words: string; type: 'reset' };
  children?: Child;
};

const letters = ['', 'ABC', 'DEF', 'GHI', 'JKL', 'MNO', 'PQRS', 'TUV', 'WXYZ', '', '+', ''];

/** A phone: its screen, two softkeys that send the form on the screen, and digits that a script types. */
export function Handset({ network, time, form, send, end, children }: HandsetProps) {
  return (
    <div class="handset">
      <div class="lcd">
        <p class="signal">
          <span>
            <span aria-hidden="true">▂▄▆</span> {network}
          </span>
          <span>{time}</span>
        </p>
        {children}
      </div>
      <div class="keys soft">
        <button type="submit" form={form} class="send" name={send.name} value={send.value}>
          <Icon name={send.icon} />
          <span>{send.words}</span>
        </button>
        <button type="button" data-key="delete">
          <span aria-hidden="true">⌫</span>
          <span class="unseen">Delete the last character</span>
        </button>
        {'type' in end ? (
          <button type="reset" form={form} class="hang">
            <Icon name="call" />
            <span>{end.words}</span>
          </button>
        ) : (
          <button
            type="submit"
            form={form}
            class="hang"
            name={end.name}
            value={end.value}
            formaction={end.action}
            formnovalidate
          >
            <Icon name="call" />
            <span>{end.words}</span>
          </button>
        )}
      </div>
      <fieldset class="keys digits" aria-label="Keypad">
        {Array.from('123456789*0#', (key, i) => (
          <button type="button" data-key={key}>
            {key}
            <small aria-hidden="true">{letters[i]}</small>
          </button>
        ))}
      </fieldset>
    </div>
  );
}

type UnitProps = {
  phone: BrowserPhone;
  channels: readonly PhoneChannel[];
  time: string;
  /** The fault of the form of this phone that was sent last. */
  problem: PhoneProblem | undefined;
};

/** One phone of the page, with its number, its state and its handset. */
export function PhoneUnit({ phone, channels, time, problem }: UnitProps) {
  const { id, msisdn } = phone;
  const view = phone.view();
  const number = spacedNumber(msisdn);
  const state = describePhone(view, problem);
  const action = (name: string) => `/phone/${id}/${name}`;
  const form = `form-${id}`;
  const { payment } = view;
  const [prompt] = view.prompts;
  const shell = { network: operatorTitles[phone.operator], time, form };
  return (
    <section
      class="unit stack tight"
      id={`phone-${id}`}
      data-version={`${view.version} ${problem?.message ?? ''}`}
      aria-labelledby={`title-${id}`}
    >
      <div class="line between">
        <h2 id={`title-${id}`}>{number}</h2>
        <Chip tone={state.tone}>{state.words}</Chip>
      </div>
      {prompt ? (
        <Handset
          {...shell}
          send={{ words: 'Approve', icon: 'paid', name: 'decision', value: 'approve' }}
          end={{ words: 'Decline', icon: 'call', name: 'decision', value: 'decline' }}
        >
          <Screen view={view} />
          <PromptSheet
            {...{ prompt, form, problem }}
            reference={payment?.sessionId === prompt.session_id ? payment.shortReference : undefined}
            action={action(`prompts/${prompt.id}`)}
          />
          {view.prompts.length > 1 && <small>Another prompt waits.</small>}
        </Handset>
      ) : view.isOpen ? (
        <Handset
          {...shell}
          send={{ words: 'Send', icon: 'call' }}
          end={{ words: 'Hang up', icon: 'call', action: action('hang-up') }}
        >
          <Screen view={view} />
          {view.room && <Room room={view.room} />}
          <AnswerForm {...{ id, form, problem }} action={action('answer')} turn={view.turn} />
        </Handset>
      ) : (
        <Handset {...shell} send={{ words: 'Dial', icon: 'call' }} end={{ words: 'Clear', type: 'reset' }}>
          <Rest view={view} msisdn={msisdn} />
          <form id={form} method="post" action={action('dial')} class="stack tight">
            {problem && <ProblemText id={id} problem={problem} />}
            <DialFields {...{ channels, id }} channelId={view.channelId} isFolded={view.turn > 0} />
          </form>
        </Handset>
      )}
      <div class="line between small">
        <a href={action('transcript')} data-copy>
          Copy as transcript
        </a>
        <form method="post" action={action('remove')}>
          <button type="submit" class="quiet">
            Remove<span class="unseen"> {number}</span>
          </button>
        </form>
      </div>
    </section>
  );
}

/** Returns the state of a phone: its prompt, its session, or its payment. */
function describePhone(
  { prompts, isOpen, payment, fault, turn }: PhoneView,
  problem: PhoneProblem | undefined,
): LedgerEntry['status'] {
  if (prompts.length > 0)
    return problem?.isWrongPin ? { words: 'Wrong PIN', tone: 'bad' } : { words: 'Prompt', tone: 'open' };
  if (isOpen) return { words: 'In a dialogue', tone: 'idle' };
  if (payment) return payment.status;
  if (fault !== undefined) return { words: 'No answer', tone: 'bad' };
  return { words: turn > 0 ? 'Ended' : 'Not dialled', tone: 'idle' };
}

function Screen({ view: { screen, fault, turn } }: { view: PhoneView }) {
  return (
    <>
      <pre data-screen={turn} tabindex={-1}>
        {screen?.text ?? ''}
      </pre>
      {fault !== undefined && (
        <p class="error" role="alert">
          {fault}
        </p>
      )}
    </>
  );
}

/** The screen without an open session: the receipt of a payment, or the last text. */
function Rest({ view, msisdn }: { view: PhoneView; msisdn: Msisdn }) {
  const { payment, promptFault, screen, isUnreported } = view;
  const isReceipt = payment?.state === 'paid' && payment.payer === msisdn;
  return (
    <>
      {isReceipt ? <Receipt payment={payment} view={view} /> : view.turn > 0 && <Screen view={view} />}
      {promptFault !== undefined && (
        <p class="error" role="alert">
          {promptFault}
        </p>
      )}
      {view.turn > 0 && (
        <p class="small muted">
          {screen ? 'The session has ended.' : 'No session is open.'}
          {isUnreported && ' The aggregator of this channel sends no end notice, so the gateway got none.'}
        </p>
      )}
    </>
  );
}

/** The text message of the wallet. */
function Receipt({
  payment: { chargeMinor, feeMinor, shortReference, steps },
  view: { merchantName, turn },
}: {
  payment: LedgerEntry;
  view: PhoneView;
}) {
  const paidAt = steps.find(({ text }) => text.startsWith('Paid'))?.at;
  return (
    <>
      <p class="small muted">MobileMoney{paidAt !== undefined && ` · ${showClock(paidAt)}`}</p>
      <p class="sms" data-screen={turn} tabindex={-1}>
        <b>
          Payment made for {showAmount(chargeMinor)}
          {merchantName !== undefined && ` to ${merchantName}`}.
        </b>{' '}
        {feeMinor !== null && `Fee ${showAmount(feeMinor)}. `}Reference {showReference(shortReference)}.
      </p>
    </>
  );
}

const showReference = (reference: string) => showShortReference(reference).replace(' ', '\u00a0');

function AnswerForm({
  id,
  form,
  action,
  turn,
  problem,
}: {
  id: string;
  form: string;
  action: string;
  turn: number;
  problem: PhoneProblem | undefined;
}) {
  return (
    <form id={form} method="post" action={action} class="stack tight">
      <input type="hidden" name="turn" value={turn} />
      {problem && <ProblemText id={id} problem={problem} />}
      <label for={`input-${id}`}>Answer</label>
      <input
        id={`input-${id}`}
        name="input"
        required
        maxlength={maxInputLength}
        autocomplete="off"
        spellcheck={false}
        aria-invalid={problem && 'true'}
        aria-describedby={problem && `error-${id}`}
        data-entry
      />
    </form>
  );
}

function Room({ room: { sentIn, gsm, ucs2 } }: { room: ScreenRoom }) {
  const [own, other] = sentIn === 'gsm' ? ([gsm, ucs2] as const) : ([ucs2, gsm] as const);
  const name = sentIn === 'gsm' ? 'UCS\u20112' : 'GSM\u00a07\u2011bit';
  return (
    <small>
      {own.left} of {own.limit} characters left ({name}: {String(other.left).replace('-', '−')} of{' '}
      {other.limit})
    </small>
  );
}

/** The mobile-money prompt, which covers the screen. Ignoring has a form of its own, so that Enter in the PIN approves. */
function PromptSheet({
  prompt: { id, amount_minor, merchant_name, expires_at, magic },
  form,
  action,
  reference,
  problem,
}: {
  prompt: PendingPrompt;
  /** The short reference, if the payment is known. */
  reference: string | undefined;
  form: string;
  action: string;
  problem: PhoneProblem | undefined;
}) {
  return (
    <>
      <form id={form} class="sheet" method="post" action={action} data-prompt={id}>
        <h3>
          Pay {showAmount(amount_minor)} to {merchant_name}?
        </h3>
        <p class="small">
          {reference === undefined ? 'Expires' : `Reference ${showReference(reference)} · expires`} at{' '}
          {expires_at.slice(11, 19)}.
          {magic === undefined ? '' : ` This number answers it by itself (${magic}).`}
        </p>
        {problem && <ProblemText id={id} problem={problem} />}
        <label for={`pin-${id}`}>PIN of four digits</label>
        <input
          class="pin"
          id={`pin-${id}`}
          name="pin"
          type="password"
          inputmode="numeric"
          maxlength={4}
          autocomplete="off"
          aria-invalid={problem && 'true'}
          aria-describedby={problem && `error-${id}`}
          data-entry
        />
        <button type="submit" class="quiet" form={`ignore-${id}`}>
          Ignore the prompt
        </button>
      </form>
      <form id={`ignore-${id}`} method="post" action={action} hidden>
        <input type="hidden" name="decision" value="ignore" />
      </form>
    </>
  );
}
