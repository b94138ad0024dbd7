import type { Child } from 'hono/jsx';
import type { AccountRole } from '../../contract/staff/account.ts';
import type { RouteName } from '../../kit/define-route.ts';
import type { Assets } from '../../shared/pages/assets.ts';
import { type AssetPaths, Document } from '../../shared/pages/document.tsx';
import type { Person } from '../access/actor.ts';
import { can, roleHas } from '../access/permissions.ts';
import { type ConsoleRoute, getAddress, type MenuEntry, type PageContent } from './define-route.ts';

/** Returns the addresses of the style sheet and the script. */
export function assetPaths({ css, js }: Assets): AssetPaths {
  return { css: `/console/assets/${css.name}`, js: `/console/assets/${js.name}` };
}

/** Returns whether the start page of a role is what waits for people. People of a merchant start with their payments. */
export function hasHome(role: AccountRole): boolean {
  return role !== 'merchant';
}

/** A page of the menu. */
type MenuPage = MenuEntry & { name: RouteName };

/** Returns the pages of the menu that the role of a person may use, in the order of the routes. */
function menuFor({ role }: Person, routes: readonly ConsoleRoute[]): MenuPage[] {
  return routes.flatMap(({ name, audience }) => {
    if (typeof audience === 'string' || audience.menu === undefined) return [];
    const isOpen = roleHas(role, audience.needs) && (name !== 'GET /' || hasHome(role));
    return isOpen ? [{ name, ...audience.menu }] : [];
  });
}

/** Returns the links of the head. Each leads to the first one of its pages. */
function listLinks(menu: readonly MenuPage[], path: string) {
  return [...Map.groupBy(menu, ({ link }) => link)].map(([text, pages]) => ({
    ...{ text, href: getAddress(pages[0]?.name ?? 'GET /') },
    isCurrent: pages.some(({ name }) => isBelow(path, name)),
  }));
}

/** True when a path is that of a route, or of a page below it. The start page has no page below it. */
function isBelow(path: string, name: RouteName): boolean {
  const address = getAddress(name);
  return path === address || (name !== 'GET /' && path.startsWith(`${address}/`));
}

type PageProps = Omit<PageContent, 'body' | 'status'> & {
  person: Person | undefined;
  /** The path of the request. */
  path: string;
  /** The routes of the console, which have the menu. */
  routes: readonly ConsoleRoute[];
  assets: AssetPaths;
  livemode: 0 | 1;
  children: Child;
};

/** The frame of every page. It shows only what the role of the person may use. */
export function Frame({ title, heading = title, tab, person, path, routes, ...frame }: PageProps) {
  const { assets, livemode, children } = frame;
  const menu = person?.session.kind === 'full' ? menuFor(person, routes) : [];
  return (
    <Document title={title} assets={assets}>
      <a class="skip" href="#content">
        Skip to the content
      </a>
      {person?.session.kind === 'full' && <Head {...{ path, person, livemode, menu }} />}
      <p id="announcement" class="unseen" aria-live="polite" />
      <main id="content" tabindex={-1}>
        <h1>{heading}</h1>
        {tab !== undefined && <Tabs menu={menu} current={tab} />}
        {children}
      </main>
    </Document>
  );
}

type HeadProps = { path: string; person: Person; livemode: 0 | 1; menu: readonly MenuPage[] };

/** The links, the search box and the person. */
function Head({ path, person, livemode, menu }: HeadProps) {
  return (
    <header>
      <nav aria-label="Console">
        {listLinks(menu, path).map(({ href, text, isCurrent }) => (
          <>
            <a href={href} aria-current={isCurrent ? 'page' : undefined}>
              {text}
            </a>{' '}
          </>
        ))}
      </nav>
      {can(person, 'payments.read') && <SearchBox />}
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

/** The other pages of a link of the head; nothing when the role may use only one of them. */
function Tabs({ menu, current }: { menu: readonly MenuPage[]; current: RouteName }) {
  const link = menu.find(({ name }) => name === current)?.link;
  const tabs = menu.filter((one) => one.link === link && one.tab !== undefined);
  if (tabs.length < 2) return null;
  return (
    <nav class="tabs" aria-label={link}>
      {tabs.map(({ name, tab }) => (
        <a href={getAddress(name)} aria-current={name === current ? 'true' : undefined}>
          {tab}
        </a>
      ))}
    </nav>
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
