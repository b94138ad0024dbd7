import { Chip, Flash } from '../gateway/console/parts/card.tsx';
import { showClock } from '../gateway/console/parts/format.ts';
import { operatorTitles } from '../shared/msisdn.ts';
import { type AssetPaths, Document } from '../shared/pages/document.tsx';
import { Icon } from '../shared/pages/icons.tsx';
import type { BrowserPhone, PhoneChannel } from './browser-phone.ts';
import { type FormFields, NewPhoneFields, type PhoneProblem } from './forms.tsx';
import { Handset, PhoneUnit } from './handset.tsx';
import { PhoneLog } from './phone-log.tsx';
import { phoneLimits } from './phone-sets.ts';

export type PageView = {
  phones: readonly BrowserPhone[];
  /** The phone that was used last. */
  current: BrowserPhone | undefined;
  channels: readonly PhoneChannel[];
  version: string;
  now: number;
  /** True when the page has a handset without a number, although there is another one. */
  isAdding: boolean;
  /** The fault of the form that was sent, and its fields. */
  problem?: PhoneProblem | undefined;
  fields?: FormFields | undefined;
  assets: AssetPaths;
  consoleUrl: string | undefined;
  paymentUrl(paymentId: string): string | undefined;
};

/** True when a prompt is awaited, and no screen that the page would lose by loading again. */
function isWaiting({ phones }: PageView): boolean {
  const views = phones.map((phone) => phone.view());
  const isAwaited = views.some(
    ({ payment }) => payment?.state === 'waiting' || payment?.state === 'confirming',
  );
  return isAwaited && views.every(({ isOpen, prompts }) => !isOpen && prompts.length === 0);
}

/** The page with all phones of a browser. */
export function PhonePage(view: PageView) {
  const { phones, current, channels, version, problem, fields = {} } = view;
  const isFull = phones.length >= phoneLimits.perSet;
  const hasNew = !isFull && (phones.length === 0 || view.isAdding || problem?.phoneId === newPhoneId);
  const time = showClock(view.now);
  const problemOf = (id: string) => (problem?.phoneId === id ? problem : undefined);
  const isOnPhone = hasNew && problem?.phoneId === newPhoneId ? true : phones.some(({ id }) => problemOf(id));
  return (
    <Document
      title="Phone"
      layout="desk"
      assets={view.assets}
      reloadSeconds={isWaiting(view) ? 3 : undefined}
    >
      <a class="skip" href="#phones">
        Skip to the phones
      </a>
      <p id="announcement" class="unseen" aria-live="polite" />
      <div id="page">
        <header class="bar">
          <a class="brand" href="/phone">
            <Icon name="call" /> dialtill phone
          </a>
          <Chip tone="review">Test keys only</Chip>
          <nav class="line end" aria-label="Phone">
            {isFull && <span class="muted small">Four phones at most</span>}
            {!isFull && !hasNew && (
              <a class="button" href="/phone?add">
                <Icon name="plus" />
                Add a phone
              </a>
            )}
            {view.consoleUrl !== undefined && <a href={view.consoleUrl}>Console</a>}
          </nav>
        </header>
        <main id="phones" data-version={version} tabindex={-1}>
          <h1 class="unseen">Phone</h1>
          {problem && !isOnPhone && (
            <Flash tone="bad" id="message">
              {problem.message}
            </Flash>
          )}
          <p class="muted">
            {isFull
              ? 'Four phones share the log below them. It shows the phone that you used last.'
              : 'Dial, answer the screens, and approve the prompt with any PIN of four digits. '}
            {!isFull && (
              <>
                <code>0000</code> is a wrong one. No real money moves.
              </>
            )}
          </p>
          <div class="bench">
            {phones.map((phone) => (
              <PhoneUnit phone={phone} channels={channels} time={time} problem={problemOf(phone.id)} />
            ))}
            {hasNew && (
              <NewUnit
                {...{ channels, fields, time, isFirst: phones.length === 0, problem: problemOf(newPhoneId) }}
              />
            )}
            <PhoneLog phones={phones} current={current} version={version} paymentUrl={view.paymentUrl} />
          </div>
          <p class="small muted">
            At most {phoneLimits.perSet} phones in a browser. They are removed after{' '}
            {phoneLimits.idleMs / 60_000} minutes without an action.
          </p>
        </main>
      </div>
    </Document>
  );
}

/** The handset without a number, in `PhoneProblem`. */
export const newPhoneId = 'new';

type NewUnitProps = {
  channels: readonly PhoneChannel[];
  fields: FormFields;
  time: string;
  isFirst: boolean;
  problem: PhoneProblem | undefined;
};

/** The handset that becomes a phone with its first dial. */
function NewUnit({ channels, fields, time, isFirst, problem }: NewUnitProps) {
  const { operator } = fields;
  const network = Object.entries(operatorTitles).find(([name]) => name === operator)?.[1] ?? 'No number';
  return (
    <section
      class="unit stack tight"
      id="new-phone"
      data-version={problem?.message}
      aria-labelledby="new-title"
    >
      <div class="line between">
        <h2 id="new-title">New phone</h2>
        <Chip tone="idle">Not dialled</Chip>
      </div>
      <Handset
        {...{ network, time, form: 'new' }}
        send={{ words: 'Dial', icon: 'call' }}
        end={{ words: 'Clear', type: 'reset' }}
      >
        <form id="new" method="post" action="/phone" class="stack tight">
          <NewPhoneFields {...{ channels, fields, isFirst, problem }} />
        </form>
      </Handset>
      <div class="line between small">
        <button type="submit" class="quiet" form="new" name="start" value="later">
          Only add the phone
        </button>
        {!isFirst && <a href="/phone">Go back</a>}
      </div>
    </section>
  );
}
