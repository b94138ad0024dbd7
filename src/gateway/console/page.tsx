import type { Child } from 'hono/jsx';
import type { Assets } from '../../shared/pages/assets.ts';
import { type AssetPaths, Document } from '../../shared/pages/document.tsx';
import type { Person } from '../access/actor.ts';
import { hasHome, mayUse, type RouteName } from './roles.ts';

type HeadLink = {
  /** The page of the link: the first of these that a role may use. */
  routes: readonly [RouteName, ...RouteName[]];
  text: string;
};

/** The pages that the head of every page links, in this order. Those of one link have tabs. */
const links: readonly HeadLink[] = [
  { routes: ['GET /'], text: 'Needs you' },
  { routes: ['GET /payments', 'GET /sessions'], text: 'Payments' },
  { routes: ['GET /desk', 'GET /proposals'], text: 'Desk' },
  { routes: ['GET /unplaced'], text: 'Unplaced money' },
  { routes: ['GET /abuse'], text: 'Abuse' },
  { routes: ['GET /days'], text: 'Days' },
  { routes: ['GET /endpoints', 'GET /deliveries', 'GET /keys'], text: 'Systems' },
  { routes: ['GET /audit'], text: 'Audit' },
  { routes: ['GET /staff'], text: 'Staff' },
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

/** Returns the pages that the role of a person may use, for the head of the page with a path. */
function linksFor({ role }: Pick<Person, 'role'>, path: string) {
  return links.flatMap(({ routes, text }) => {
    const own = routes.filter((name) => mayUse(role, name) && (name !== 'GET /' || hasHome(role)));
    const [first] = own;
    return first ? [{ href: addressOf(first), text, isCurrent: own.some((one) => isBelow(path, one)) }] : [];
  });
}

/** Whether a path is that of a route, or of a page below it. The start page has no page below it. */
function isBelow(path: string, name: RouteName): boolean {
  const address = addressOf(name);
  return path === address || (name !== 'GET /' && path.startsWith(`${address}/`));
}

type PageProps = {
  title: string;
  /** The heading, when it is more than the title. */
  heading?: Child | undefined;
  person: Person | undefined;
  /** The path of the request. */
  path: string;
  assets: AssetPaths;
  livemode: 0 | 1;
  children: Child;
};

/** The frame of every page. It shows only what the role of the person may use. */
export function Page({ title, heading = title, person, path, assets, livemode, children }: PageProps) {
  return (
    <Document title={title} assets={assets}>
      <a class="skip" href="#content">
        Skip to the content
      </a>
      {person?.session.kind === 'full' && <Head path={path} person={person} livemode={livemode} />}
      <p id="announcement" class="unseen" aria-live="polite" />
      <main id="content" tabindex={-1}>
        <h1>{heading}</h1>
        {children}
      </main>
    </Document>
  );
}

type HeadProps = { path: string; person: Person; livemode: 0 | 1 };

/** The links, the search box and the person. */
function Head({ path, person, livemode }: HeadProps) {
  return (
    <header>
      <nav aria-label="Console">
        {linksFor(person, path).map(({ href, text, isCurrent }) => (
          <>
            <a href={href} aria-current={isCurrent ? 'page' : undefined}>
              {text}
            </a>{' '}
          </>
        ))}
      </nav>
      {mayUse(person.role, 'POST /search') && <SearchBox />}
      <form class="person" method="post" action="/console/sign-out">
        {person.name} ({person.role}){livemode === 0 && <span class="badge">test mode</span>}{' '}
        <a href="/console/me" aria-current={isBelow(path, 'GET /me') ? 'page' : undefined}>
          My account
        </a>{' '}
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
