import { listMerchantRoutes, listTargets, type Route, type Screen } from '../schema.ts';
import type { MenuDraft, Report } from './draft.ts';

type Link = {
  path: readonly (string | number)[];
  to: string;
  /** The link sets the amount. */
  setsAmount: boolean;
};

/** Checks that every link has a target, every screen leads to an end, and every confirm screen has an amount. */
export function checkRoutes(menu: MenuDraft, report: Report): void {
  let isComplete =
    menu.start !== undefined && Object.values(menu.screens).every((screen) => screen !== undefined);
  const names = `expected the name of a screen: ${Object.keys(menu.screens).join(', ')}`;
  const missing = (path: Link['path']) => {
    report(path, names);
    isComplete = false;
  };
  const first = menu.start === undefined ? [] : linksTo(menu.start, ['start'], false);
  for (const { path, to } of first) if (!Object.hasOwn(menu.screens, to)) missing(path);
  for (const [name, screen] of Object.entries(menu.screens)) {
    for (const { path, to } of listLinks(name, screen)) {
      if (!Object.hasOwn(menu.screens, to)) missing(path);
      else if (screen?.kind === 'confirm' && menu.screens[to] && menu.screens[to].kind !== 'end') {
        report(path, 'expected the name of an end screen');
      }
    }
  }
  if (isComplete) checkReachability(menu, first, report);
}

/** Walks the menu. Its states are the screens, each with and without an amount. */
function checkReachability(menu: MenuDraft, first: readonly Link[], report: Report): void {
  const routes = new Map<string, readonly string[]>();
  const withoutAmount = new Map<string, readonly string[]>();
  const queue = first.map(({ to }) => ({ name: to, hasAmount: false, route: [to] }));
  const seen = new Set<string>();
  for (const { name, hasAmount, route } of queue) {
    const key = `${name} ${hasAmount}`;
    if (seen.has(key)) continue;
    seen.add(key);
    if (!routes.has(name)) routes.set(name, route);
    const screen = menu.screens[name];
    if (screen?.kind === 'confirm' && !hasAmount && !withoutAmount.has(name)) withoutAmount.set(name, route);
    for (const link of listLinks(name, screen)) {
      queue.push({
        name: link.to,
        hasAmount: hasAmount || link.setsAmount,
        route: [...route, link.to],
      });
    }
  }
  const ending = screensThatEnd(menu);
  for (const name of Object.keys(menu.screens)) {
    const route = withoutAmount.get(name);
    if (route) report(['screens', name], `expected an amount on the route ${route.join(' > ')}`, 'lost');
    if (!routes.has(name))
      report(
        ['screens', name],
        'expected a screen that leads here: add a route or remove this screen',
        'unreachable',
      );
    if (!ending.has(name)) report(['screens', name], 'expected a route from here to an end screen', 'loop');
  }
}

function screensThatEnd(menu: MenuDraft): Set<string> {
  const ending = new Set<string>();
  for (let before = -1; before !== ending.size; ) {
    before = ending.size;
    for (const [name, screen] of Object.entries(menu.screens)) {
      if (isLastScreen(screen) || listLinks(name, screen).some(({ to }) => ending.has(to))) ending.add(name);
    }
  }
  return ending;
}

/** True for a screen after which the dialogue ends, whatever the input. */
function isLastScreen(screen: Screen | undefined): boolean {
  return screen?.kind === 'end' || screen?.kind === 'status' || screen?.kind === 'requests';
}

function listLinks(name: string, screen: Screen | undefined): Link[] {
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
    case 'lookup':
    case 'proxy':
      return listMerchantRoutes(screen).flatMap(([key, to]) => linksTo(to, [...path, key], false));
    case 'confirm':
      return linksTo(screen.to, [...path, 'to'], false);
    default:
      return [];
  }
}

function linksTo(to: Route, path: Link['path'], setsAmount: boolean): Link[] {
  if (typeof to === 'string') return [{ path, to, setsAmount }];
  return listTargets(to).map((target, i) => ({ path: [...path, i], to: target, setsAmount }));
}
