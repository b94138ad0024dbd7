import type { Child } from 'hono/jsx';
import type { Assets } from '../../shared/pages/assets.ts';
import { type AssetPaths, Document } from '../../shared/pages/document.tsx';
import type { Person } from '../accounts/session.ts';
import { hasHome, mayUse, type RouteName } from './roles.ts';

/** The pages that the head of every page links, in this order. */
const links: readonly [RouteName, string][] = [
  ['GET /', 'Needs you'],
  ['GET /payments', 'Payments'],
  ['GET /desk', 'Desk'],
  ['GET /unplaced', 'Unplaced money'],
  ['GET /abuse', 'Abuse'],
  ['GET /days', 'Days'],
  ['GET /endpoints', 'Endpoints'],
  ['GET /keys', 'Keys'],
  ['GET /audit', 'Audit'],
  ['GET /staff', 'Staff'],
  ['GET /me', 'My account'],
];

/** Returns the addresses of the style sheet and the script. */
export function assetPaths({ css, js }: Assets): AssetPaths {
  return { css: `/console/assets/${css.name}`, js: `/console/assets/${js.name}` };
}

/** Returns the address of a route without parameters. */
export function addressOf(name: RouteName): string {
  const [, path = '/'] = name.split(' ');
  return path === '/' ? '/console' : `/console${path}`;
}

/** Returns the pages that the role of a person may use, for the head of a page. */
function linksFor({ role }: Pick<Person, 'role'>): readonly { href: string; text: string }[] {
  return links
    .filter(([name]) => mayUse(role, name) && (name !== 'GET /' || hasHome(role)))
    .map(([name, text]) => ({ href: addressOf(name), text }));
}

type PageProps = {
  title: string;
  /** The heading, when it is more than the title. */
  heading?: Child | undefined;
  person: Person | undefined;
  assets: AssetPaths;
  livemode: 0 | 1;
  children: Child;
};

/** The frame of every page. It shows only what the role of the person may use. */
export function Page({ title, heading = title, person, assets, livemode, children }: PageProps) {
  return (
    <Document title={title} assets={assets}>
      <a class="skip" href="#content">
        Skip to the content
      </a>
      {person?.session.kind === 'full' && <Head title={title} person={person} livemode={livemode} />}
      <p id="announcement" class="unseen" aria-live="polite" />
      <main id="content" tabindex={-1}>
        <h1>{heading}</h1>
        {children}
      </main>
    </Document>
  );
}

/** The links, the search box and the person. */
function Head({ title, person, livemode }: { title: string; person: Person; livemode: 0 | 1 }) {
  return (
    <header>
      <nav aria-label="Console">
        {linksFor(person).map(({ href, text }) => (
          <>
            <a href={href} aria-current={text === title ? 'page' : undefined}>
              {text}
            </a>{' '}
          </>
        ))}
      </nav>
      {mayUse(person.role, 'POST /search') && <SearchBox />}
      <form class="person" method="post" action="/console/sign-out">
        {person.name} ({person.role}){livemode === 0 && <span class="badge">test mode</span>}{' '}
        <button type="submit">Sign out</button>
      </form>
    </header>
  );
}

function SearchBox() {
  return (
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
  );
}

/** What went wrong, or what was done. */
export function Message({ text }: { text: string | undefined }) {
  return text === undefined ? null : <p role="alert">{text}</p>;
}

/** A field of a form with its label. */
export function Field({
  name,
  label,
  hint,
  ...input
}: {
  name: string;
  label: string;
  hint?: string;
  type?: 'text' | 'password';
  autocomplete: string;
  inputmode?: 'numeric';
  maxlength?: number;
  value?: string | undefined;
}) {
  const hintId = hint === undefined ? undefined : `${name}-hint`;
  return (
    <p>
      <label for={name}>{label}</label>
      <br />
      <input {...input} id={name} name={name} required aria-describedby={hintId} autocapitalize="none" />
      {hint !== undefined && (
        <>
          <br />
          <small id={hintId}>{hint}</small>
        </>
      )}
    </p>
  );
}
