import type { Child } from 'hono/jsx';
import type { RouteName } from '../../kit/define-route.ts';
import type { Assets } from '../../shared/pages/assets.ts';
import { type AssetPaths, Document } from '../../shared/pages/document.tsx';
import { Icon } from '../../shared/pages/icons.tsx';
import { can, type Person, roleHas } from '../access/permissions.ts';
import {
  type ConsoleRoute,
  getAddress,
  type MenuEntry,
  menuGroups,
  type PageContent,
  type SearchText,
} from './define-route.ts';
import { type CountedWork, type MenuCounts, maxMenuCount } from './home-query.ts';
import { messageId } from './parts/forms.tsx';

/** Returns the work that the menu counts for a person. People of a merchant have none. */
export function listCounted(person: Person, routes: readonly ConsoleRoute[]): CountedWork[] {
  if (person.session.kind !== 'full') return [];
  return menuFor(person, routes).flatMap(({ counts }) =>
    counts !== undefined && can(person, counts.by) ? [counts.work] : [],
  );
}

export function assetPaths({ css, js }: Assets): AssetPaths {
  return { css: `/console/assets/${css.name}`, js: `/console/assets/${js.name}` };
}

type MenuPage = MenuEntry & { name: RouteName };

/** Returns the pages of the menu that the role of a person may use, in the order of the routes. */
function menuFor({ role }: Person, routes: readonly ConsoleRoute[]): MenuPage[] {
  return routes.flatMap(({ name, audience }) => {
    if (typeof audience === 'string' || audience.menu === undefined) return [];
    return roleHas(role, audience.needs) ? [{ name, ...audience.menu }] : [];
  });
}

/** True when a path is that of a route, or of a page below it. The start page has no page below it. */
function isBelow(path: string, name: RouteName): boolean {
  const address = getAddress(name);
  return path === address || (name !== 'GET /' && path.startsWith(`${address}/`));
}

type PageProps = Omit<PageContent, 'body' | 'status' | 'message'> & {
  person: Person | undefined;
  /** The path of the request. */
  path: string;
  /** The routes of the console, which have the menu. */
  routes: readonly ConsoleRoute[];
  assets: AssetPaths;
  livemode: 0 | 1;
  counts: MenuCounts;
  children: Child;
};

/** The frame of every page. It shows only what the role of the person may use. */
export function Frame({ title, heading = title, hasOwnHeading, person, path, routes, ...frame }: PageProps) {
  const { assets, livemode, counts, search, children } = frame;
  const isSignedIn = person?.session.kind === 'full';
  const content = (
    <>
      {!hasOwnHeading && <h1>{heading}</h1>}
      {children}
    </>
  );
  return (
    <Document title={title} assets={assets} layout={isSignedIn ? 'app' : 'gate'}>
      <a class="skip" href="#content">
        Skip to the content
      </a>
      {isSignedIn ? (
        <>
          <Bar {...{ person, path, livemode, search }} />
          <Menu menu={menuFor(person, routes)} {...{ path, counts }} />
          <main id="content" tabindex={-1}>
            {content}
          </main>
        </>
      ) : (
        <main id="content" tabindex={-1}>
          <div class="card stack">
            <p class="line between">
              <Brand />
              {livemode === 0 && <TestMode />}
            </p>
            {content}
          </div>
        </main>
      )}
      <p id="announcement" class="unseen" aria-live="polite" />
    </Document>
  );
}

function Brand() {
  return (
    <a class="brand" href="/console" aria-label="dialtill">
      <Icon name="call" />
      <span> dialtill</span>
    </a>
  );
}

function TestMode() {
  return (
    <span class="chip review mode">
      <Icon name="decide" />
      Test<span> mode</span>
    </span>
  );
}

type BarProps = { person: Person; path: string; livemode: 0 | 1; search: SearchText | undefined };

/** The search box and the person. */
function Bar({ person, path, livemode, search }: BarProps) {
  return (
    <header class="bar">
      <button type="button" class="open-nav" popovertarget="nav">
        <Icon name="menu" />
        Menu
      </button>
      <Brand />
      {can(person, 'payments.read') && <SearchBox search={search} />}
      <span class="end line">
        {livemode === 0 && <TestMode />}
        <button type="button" class="quiet" popovertarget="account">
          {person.name} <small>{person.role}</small>
          <Icon name="down" />
        </button>
      </span>
      <div id="account" class="menu" popover="auto">
        <a href="/console/me" aria-current={isBelow(path, 'GET /me') ? 'page' : undefined}>
          <Icon name="people" />
          My account
        </a>
        <form method="post" action="/console/sign-out">
          <button type="submit">
            <Icon name="right" />
            Sign out
          </button>
        </form>
      </div>
    </header>
  );
}

/** The links of the menu by group. On a narrow screen they are a popover, which needs no script. */
function Menu({ menu, path, counts }: { menu: readonly MenuPage[]; path: string; counts: MenuCounts }) {
  return (
    <nav id="nav" class="nav" popover="auto" aria-label="Console">
      {menuGroups.map((group) => {
        const pages = menu.filter((page) => page.group === group);
        return (
          pages.length > 0 && (
            <>
              <h2>{group}</h2>
              <ul>
                {pages.map(({ name, link, icon, counts: counted }) => (
                  <li>
                    <a href={getAddress(name)} aria-current={isBelow(path, name) ? 'page' : undefined}>
                      <Icon name={icon} />
                      {link}
                      {counted && <Count of={counts[counted.work]} />}
                    </a>
                  </li>
                ))}
              </ul>
            </>
          )
        );
      })}
    </nav>
  );
}

/** The amount of work that waits behind a link. */
function Count({ of = 0 }: { of?: number | undefined }) {
  if (of === 0) return null;
  return (
    <>
      {' '}
      <span class="count">
        {of > maxMenuCount ? `${maxMenuCount}+` : of}
        <span class="unseen"> waiting</span>
      </span>
    </>
  );
}

function SearchBox({ search }: Pick<BarProps, 'search'>) {
  return (
    <search>
      <form class="find" method="post" action="/console/search">
        <label class="unseen" for="search">
          Search payments
        </label>
        <Icon name="search" />
        <input
          id="search"
          name="q"
          type="search"
          value={search?.text}
          aria-invalid={search?.isRefused ? 'true' : undefined}
          aria-describedby={search?.isRefused ? messageId : undefined}
          autocomplete="off"
          maxlength={200}
          placeholder="Number, reference, amount, id"
        />
        <button type="submit">Search</button>
      </form>
    </search>
  );
}
