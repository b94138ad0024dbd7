import type { Child } from 'hono/jsx';
import { type AssetPaths, Document } from '../../../shared/pages/document.tsx';

/** What every page of the console has around its content. */
export type Shell = {
  assets: AssetPaths;
  /** The name of the person who is signed in. */
  person: string;
  livemode: 0 | 1;
  /** The other pages that the person may use. */
  links?: readonly { href: string; text: string }[];
};

const payments = [{ href: '/console', text: 'Payments' }];

type PageProps = { shell: Shell; title: string; message?: string | undefined; children: Child };

/** A page with navigation and the search box. */
export function ConsolePage({ shell, title, message, children }: PageProps) {
  const { assets, person, livemode, links = payments } = shell;
  return (
    <Document title={title} assets={assets}>
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <header>
        <nav aria-label="Console">
          {links.map(({ href, text }) => (
            <>
              <a href={href}>{text}</a>{' '}
            </>
          ))}
        </nav>
        <search>
          <form method="post" action="/console/search">
            <label class="unseen" for="search">
              Search payments
            </label>
            <input
              id="search"
              name="q"
              type="search"
              autocomplete="off"
              maxlength={200}
              placeholder="Number, reference, amount, id"
            />
            <button type="submit">Search</button>
          </form>
        </search>
        <p class="person">
          <a href="/console/me">{person}</a>
          {livemode === 0 && <span class="badge">test mode</span>}
        </p>
      </header>
      <p id="announcement" class="unseen" aria-live="polite" />
      <main id="content" tabindex={-1}>
        {message !== undefined && (
          <p id="message" role="alert">
            {message}
          </p>
        )}
        {children}
      </main>
    </Document>
  );
}

/** A page that shows only why something is not shown. */
export function MessagePage({ shell, title, text }: { shell: Shell; title: string; text: string }) {
  return (
    <ConsolePage shell={shell} title={title}>
      <h1>{title}</h1>
      <p>{text}</p>
      <p>
        <a href="/console">All payments</a>
      </p>
    </ConsolePage>
  );
}
