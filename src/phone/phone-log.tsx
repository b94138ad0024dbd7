import { Card, Chip } from '../gateway/console/parts/card.tsx';
import { showNumber, spacedNumber } from '../gateway/console/parts/format.ts';
import { Icon } from '../shared/pages/icons.tsx';
import { showShortReference } from '../shared/short-reference.ts';
import type { BrowserPhone } from './browser-phone.ts';
import type { LedgerEntry, LedgerStep } from './ledger-entry.ts';
import type { WireEntry } from './wire-log.ts';

type LogProps = {
  phones: readonly BrowserPhone[];
  /** The phone that was used last. */
  current: BrowserPhone | undefined;
  version: string;
  /** Returns the address of a payment in the console; `undefined` without a console. */
  paymentUrl(paymentId: string): string | undefined;
};

/** What the phones cause: the entries of the ledger, which grow, and the requests of the phone that was used last. */
export function PhoneLog({ phones, current, version, paymentUrl }: LogProps) {
  const entries = new Map(
    phones.flatMap((phone) => {
      const { payment } = phone.view();
      return payment ? [[payment.id, payment] as const] : [];
    }),
  );
  return (
    <div class="log stack" id="log" data-version={version}>
      <div class={entries.size > 1 ? 'stack halves' : 'stack'}>
        {entries.size === 0 && <NoEntry />}
        {[...entries.values()].map((entry) => (
          <Entry entry={entry} expiresAt={findExpiry(phones, entry)} url={paymentUrl(entry.id)} />
        ))}
      </div>
      <Wire current={current} isOneOfSeveral={phones.length > 1} />
    </div>
  );
}

function NoEntry() {
  const steps = [
    'Dial, and confirm an amount',
    'Session at the service',
    'Prompt on the phone',
    'PIN of the payer',
    'Result, a check of it, and the booking',
  ];
  return (
    <Card id="no-entry" title="Ledger entry">
      <ol class="steps small">
        {steps.map((text) => (
          <Step step={{ text, at: undefined, tone: 'next' }} isFirstNext={false} />
        ))}
      </ol>
      <p class="small muted">The entry of a payment appears here, and grows until its booking.</p>
    </Card>
  );
}

/** Returns when the prompt of a payment expires, `14:32:16`, if one of the phones has it. */
function findExpiry(phones: readonly BrowserPhone[], { sessionId }: LedgerEntry): string | undefined {
  const prompts = phones.flatMap((phone) => phone.view().prompts);
  return prompts.find((prompt) => prompt.session_id === sessionId)?.expires_at.slice(11, 19);
}

function Entry({
  entry: { id, state, status, shortReference, steps, postings },
  expiresAt,
  url,
}: {
  entry: LedgerEntry;
  expiresAt: string | undefined;
  url: string | undefined;
}) {
  const firstNext = steps.findIndex((step) => step.at === undefined);
  return (
    <section class="card" data-state={state} aria-labelledby={`entry-${id}`}>
      <div class="line between">
        <h2 id={`entry-${id}`}>Ledger entry {showShortReference(shortReference)}</h2>
        <Chip tone={status.tone}>{status.words}</Chip>
      </div>
      <ol class="steps small">
        {steps.map((step, i) => (
          <Step
            step={i === firstNext && expiresAt ? { ...step, text: `${step.text}, until ${expiresAt}` } : step}
            isFirstNext={i === firstNext}
            entry={id}
          />
        ))}
      </ol>
      {postings.length === 0 ? (
        <p class="small muted">No postings: no money has moved.</p>
      ) : (
        <table class="small">
          <caption class="unseen">Postings</caption>
          <thead>
            <tr>
              <th scope="col">Account</th>
              <th scope="col" class="n">
                GHS
              </th>
            </tr>
          </thead>
          <tbody>
            {postings.map(({ account, amountMinor }, i) => (
              <tr data-line={`${id} posting ${i}`}>
                <th scope="row">{account}</th>
                <td class="n">{showNumber(amountMinor)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <p class="small">
        {url === undefined ? (
          <code>npx dialtill ledger show {id}</code>
        ) : (
          <a href={url}>Open in the console</a>
        )}
      </p>
    </section>
  );
}

const stepIcons = { good: 'paid', bad: 'not', review: 'decide', next: 'none' } as const;
const stepClasses = { good: 'done', bad: 'failed', review: 'asks', next: 'muted' } as const;

function Step({
  step: { text, at, tone },
  isFirstNext,
  entry = '',
}: {
  step: LedgerStep;
  isFirstNext: boolean;
  entry?: string;
}) {
  return (
    <li class={stepClasses[tone]} data-line={at && `${entry} ${text} ${at}`}>
      <Icon name={isFirstNext ? 'wait' : stepIcons[tone]} />
      <span>{text}</span>
      {at !== undefined && <Time at={at} />}
    </li>
  );
}

function Time({ at }: { at: number }) {
  const time = new Date(at).toISOString();
  return <time datetime={time}>{time.slice(11, 23)}</time>;
}

/** The exchanges that are shown without a click. */
const openEntries = 5;

function Wire({ current, isOneOfSeveral }: { current: BrowserPhone | undefined; isOneOfSeveral: boolean }) {
  const entries = current?.view().wire ?? [];
  const [first, more] = [entries.slice(0, openEntries), entries.slice(openEntries)];
  return (
    <Card
      id="wire"
      title={`Requests and answers${current && isOneOfSeveral ? ` of ${spacedNumber(current.msisdn)}` : ''}`}
      aside={
        <p class="small muted">
          newest first, {first.length} of {entries.length}
        </p>
      }
    >
      {entries.length === 0 && (
        <p class="small muted">
          Each request between the aggregator, the gateway and the service appears here, with its answer.
        </p>
      )}
      <WireList entries={first} />
      {more.length > 0 && (
        <details class="fold" id="older">
          <summary>Show {more.length} older</summary>
          <WireList entries={more} />
        </details>
      )}
    </Card>
  );
}

function WireList({ entries }: { entries: readonly WireEntry[] }) {
  return (
    <ol class="wire">
      {entries.map(({ number, at, ms, direction, request, sent, status, answer }) => (
        <li data-line={`wire ${number}`}>
          <div class="line">
            <Time at={at} />
            <span>
              <Icon name={direction === 'sent' ? 'send' : 'receive'} />
              <span class="unseen">{direction}</span>{' '}
              <code>
                <Parts text={request} before={/(?=[/?&])/} />
              </code>
            </span>
            <span class="end small">
              <Chip tone={status !== undefined && status < 400 ? 'good' : 'bad'}>
                {status ?? 'No answer'}
              </Chip>{' '}
              <span class="muted">{Math.round(ms)} ms</span>
            </span>
          </div>
          {(sent !== '' || answer !== '') && (
            <div class="sides">
              {sent !== '' && <Body text={sent} />}
              {answer !== '' && <Body text={answer} />}
            </div>
          )}
        </li>
      ))}
    </ol>
  );
}

/** The exact text of a body. Lines break between its fields. */
function Body({ text }: { text: string }) {
  return (
    <pre>
      <Parts text={text} before={/(?<=,)|(?=&)/} />
    </pre>
  );
}

/** A text whose lines break before its parts. */
function Parts({ text, before }: { text: string; before: RegExp }) {
  return (
    <>
      {text.split(before).map((part, i) => (
        <>
          {i > 0 && <wbr />}
          {part}
        </>
      ))}
    </>
  );
}
