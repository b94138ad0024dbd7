import { type Route, type Screen, targetsOf } from '../schema.ts';
import type { MenuDraft, Report } from './draft.ts';

type Link = { path: readonly (string | number)[]; to: string; amount: boolean };

/** Every link must lead somewhere, every payer to an end, and nobody to a confirm screen without an amount. */
export function checkRoutes(menu: MenuDraft, report: Report): void {
  let whole = menu.start !== undefined && Object.values(menu.screens).every((screen) => screen !== undefined);
  const names = `expected the name of a screen: ${Object.keys(menu.screens).join(', ')}`;
  const missing = (path: Link['path']) => {
    report(path, names);
    whole = false;
  };
  if (menu.start !== undefined && !Object.hasOwn(menu.screens, menu.start)) missing(['start']);
  for (const [name, screen] of Object.entries(menu.screens)) {
    for (const { path, to } of linksOf(name, screen)) {
      if (!Object.hasOwn(menu.screens, to)) missing(path);
      else if (screen?.kind === 'confirm' && menu.screens[to] && menu.screens[to].kind !== 'end') {
        report(path, 'expected the name of an end screen');
      }
    }
  }
  if (whole && menu.start !== undefined) checkWalks(menu, menu.start, report);
}

/** Walks the whole menu: a place in it is a screen, and whether an amount is known there. */
function checkWalks(menu: MenuDraft, first: string, report: Report): void {
  const routes = new Map<string, readonly string[]>();
  const blind = new Map<string, readonly string[]>();
  const open = [{ name: first, amount: false, route: [first] }];
  const seen = new Set<string>();
  for (let place = open.shift(); place; place = open.shift()) {
    const { name, amount, route } = place;
    const key = `${name} ${amount}`;
    if (seen.has(key)) continue;
    seen.add(key);
    if (!routes.has(name)) routes.set(name, route);
    const screen = menu.screens[name];
    if (screen?.kind === 'confirm' && !amount && !blind.has(name)) blind.set(name, route);
    for (const link of linksOf(name, screen)) {
      open.push({ name: link.to, amount: amount || link.amount, route: [...route, link.to] });
    }
  }
  const ending = screensThatEnd(menu);
  for (const name of Object.keys(menu.screens)) {
    const route = blind.get(name);
    if (route) report(['screens', name], `expected an amount to be known on the way: ${route.join(' > ')}`);
    if (!routes.has(name)) report(['screens', name], 'expected a screen that leads here, or this one to go');
    if (!ending.has(name)) report(['screens', name], 'expected a way from here to an end screen');
  }
}

function screensThatEnd(menu: MenuDraft): Set<string> {
  const ending = new Set<string>();
  for (let before = -1; before !== ending.size; ) {
    before = ending.size;
    for (const [name, screen] of Object.entries(menu.screens)) {
      if (isLast(screen) || linksOf(name, screen).some(({ to }) => ending.has(to))) ending.add(name);
    }
  }
  return ending;
}

/** Screens that say the last word, whatever is typed. */
function isLast(screen: Screen | undefined): boolean {
  return screen?.kind === 'end' || screen?.kind === 'status' || screen?.kind === 'requests';
}

function linksOf(name: string, screen: Screen | undefined): Link[] {
  const path = ['screens', name];
  switch (screen?.kind) {
    case 'choose':
      return screen.options.flatMap(({ to, set }, i) =>
        linksTo(to, [...path, 'options', i, 'to'], set?.amount !== undefined),
      );
    case 'ask': {
      const isPriced = screen.answer === 'number' && screen.each !== undefined;
      return linksTo(screen.to, [...path, 'to'], screen.answer === 'amount' || isPriced);
    }
    case 'lookup': {
      const { found, notFound, fallback } = screen;
      return Object.entries({ found, notFound, fallback }).flatMap(([key, to]) =>
        to === undefined ? [] : linksTo(to, [...path, key], false),
      );
    }
    case 'confirm':
      return linksTo(screen.to, [...path, 'to'], false);
    default:
      return [];
  }
}

function linksTo(to: Route, path: readonly (string | number)[], amount: boolean): Link[] {
  if (typeof to === 'string') return [{ path, to, amount }];
  return targetsOf(to).map((target, i) => ({ path: [...path, i], to: target, amount }));
}
