import type { Child } from 'hono/jsx';
import { type AssetPaths, Document } from '../../shared/pages/document.tsx';
import type { Person } from '../accounts/session.ts';
import { mayUse, type RouteName, readers } from './roles.ts';

/** The pages that the head of every page links, in this order. */
const links: readonly [RouteName, string][] = [
  ['GET /', 'Payments'],
  ['GET /reviews', 'To decide'],
  ['GET /unplaced', 'Unplaced money'],
  ['GET /endpoints', 'Endpoints'],
  ['GET /audit', 'Audit'],
  ['GET /staff', 'Staff'],
  ['GET /me', 'My account'],
];

/** Returns the address of a route without parameters. */
export function addressOf(name: RouteName): string {
  const [, path = '/'] = name.split(' ');
  return path === '/' ? '/console' : `/console${path}`;
}

/** Returns the pages that the role of a person may use, for the head of a page. */
export function linksFor({ role }: Pick<Person, 'role'>): readonly { href: string; text: string }[] {
  return links
    .filter(([name]) => mayUse(role, name) && (name !== 'GET /' || readers.includes(role)))
    .map(([name, text]) => ({ href: addressOf(name), text }));
}

/** The frame of the pages about accounts. It shows only links that the role of the person may use. */
export function Page({
  title,
  person,
  assets,
  children,
}: {
  title: string;
  person: Person | undefined;
  assets: AssetPaths;
  children: Child;
}) {
  const isSignedIn = person?.session.kind === 'full';
  return (
    <Document title={title} assets={assets}>
      {isSignedIn && (
        <header>
          <nav aria-label="Pages">
            {linksFor(person).map(({ href, text }) => (
              <>
                <a href={href}>{text}</a>{' '}
              </>
            ))}
          </nav>
          <form method="post" action="/console/sign-out">
            {person.name} ({person.role}) <button type="submit">Sign out</button>
          </form>
        </header>
      )}
      <main id="content">
        <h1>{title}</h1>
        {children}
      </main>
    </Document>
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
