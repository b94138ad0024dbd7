import { localForm, operatorTitles } from '../shared/msisdn.ts';
import { type AssetPaths, Document } from '../shared/pages/document.tsx';
import type { BrowserPhone, PhoneChannel } from './browser-phone.ts';
import { type FormFields, NewPhoneForm } from './forms.tsx';
import { PhoneCard } from './phone-card.tsx';
import { phoneLimits } from './phone-sets.ts';

/** The content of the page. */
export type PageView = {
  phones: readonly BrowserPhone[];
  channels: readonly PhoneChannel[];
  version: string;
  /** The fault of the form that was sent, and its fields. */
  message?: string | undefined;
  fields?: FormFields | undefined;
  assets: AssetPaths;
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
  const { phones, channels, version, message, fields = {}, paymentUrl } = view;
  const canAdd = phones.length < phoneLimits.perSet;
  return (
    <Document title="Phone" assets={view.assets} reloadSeconds={isWaiting(view) ? 3 : undefined}>
      <header>
        <h1>Phone</h1>
        <p>
          Simulated phones with test keys: no real money moves. Dial, answer the screens, and approve the
          prompt with any PIN except 0000.
        </p>
      </header>
      <p id="announcement" class="unseen" aria-live="polite" />
      <main id="phones" data-version={version}>
        {message !== undefined && (
          <p id="message" role="alert">
            {message}
          </p>
        )}
        <div class="phones">
          {phones.map((phone) => (
            <PhoneCard
              phone={phone}
              title={`${localForm(phone.msisdn)}, ${operatorTitles[phone.operator]}`}
              channels={channels}
              paymentUrl={paymentUrl}
            />
          ))}
          {canAdd && <NewPhoneForm channels={channels} fields={fields} isFirst={phones.length === 0} />}
        </div>
      </main>
      <footer>
        <p>
          At most {phoneLimits.perSet} phones in a browser. They are removed after{' '}
          {phoneLimits.idleMs / 60_000} minutes without an action.
        </p>
      </footer>
    </Document>
  );
}
