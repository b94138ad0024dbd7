import type { UncheckedMap } from '../../shared/json.ts';
import {
  type AskScreen,
  type ConfirmScreen,
  getMinCount,
  listRoutes,
  listTargets,
  type Route,
  type Screen,
} from '../schema.ts';
import { compilePattern } from '../state/pattern.ts';
import { listPlaceholders, pick } from '../text/render.ts';
import { draftSchema, type MenuDraft, type Report } from './names.ts';
import { checkTexts } from './texts.ts';
import { checkValues } from './values.ts';

/** The included menus have fewer than 20. The time of the checks grows with the square of the number. */
const maxScreens = 500;

/** Reports where the parts of a menu file contradict each other. */
export function checkMenu(value: UncheckedMap, report: Report): void {
  const menu = draftSchema.parse(value);
  if (Object.keys(menu.screens).length > maxScreens) {
    report(['screens'], `expected at most ${maxScreens} screens`);
    return;
  }
  checkLanguages(menu, report);
  checkTexts(menu, report);
  for (const [name, screen] of Object.entries(menu.screens)) checkScreen(menu, name, screen, report);
  checkRoutes(menu, report);
  checkValues(menu, report);
}

function checkLanguages({ languages }: MenuDraft, report: Report): void {
  for (const [i, language] of languages.entries()) {
    if (languages.indexOf(language) !== i) report(['languages', i], 'expected each language once');
  }
}

function checkScreen(menu: MenuDraft, name: string, screen: Screen | undefined, report: Report): void {
  const path = ['screens', name];
  if (screen?.kind === 'ask') checkQuestion(screen, path, report);
  if (screen?.kind === 'confirm') checkConfirm(menu, screen, path, report);
  if (screen?.kind !== 'choose') return;
  for (const [i, { language }] of screen.options.entries()) {
    if (language !== undefined && language !== 'next' && !menu.languages.includes(language)) {
      report([...path, 'options', i, 'language'], `expected one of ${menu.languages.join(', ')}, or next`);
    }
  }
}

/** A payer can only confirm an amount that the screen shows. */
function checkConfirm(menu: MenuDraft, { text }: ConfirmScreen, path: string[], report: Report): void {
  const isHidden = menu.languages.some(
    (language) => !listPlaceholders(pick(text, language)).includes('amount'),
  );
  if (isHidden) report([...path, 'text'], 'expected {amount} in the text of a confirm screen');
}

function checkQuestion(screen: AskScreen, path: string[], report: Report): void {
  const isBounded = screen.answer === 'amount' || screen.answer === 'number';
  if (isBounded && Number(screen.min) > Number(screen.max)) {
    const bound = screen.answer === 'amount' ? 'an amount' : 'a number';
    report([...path, 'max'], `expected ${bound} not below min`);
  }
  if (screen.answer === 'number' && screen.min <= screen.max && getMinCount(screen) > screen.max) {
    report([...path, 'max'], 'expected at least 1: a count of 0 has no amount');
  }
  checkPattern(screen, path, report);
}

const patternExpected =
  'expected a regular expression in RE2 syntax, without lookaheads, lookbehinds and backreferences';

function checkPattern(
  { pattern, example }: { pattern?: string | undefined; example?: string | undefined },
  path: string[],
  report: Report,
): void {
  if (pattern === undefined) return;
  const compiled = compilePattern(pattern);
  if (!compiled.ok) {
    report([...path, 'pattern'], `${patternExpected}: ${compiled.reason}`);
    return;
  }
  const isAccepted = example !== undefined && compiled.pattern.accepts(example);
  if (!isAccepted) report([...path, 'example'], 'expected an example that the pattern accepts');
}

type Link = {
  path: readonly (string | number)[];
  to: string;
  /** The link sets the amount. */
  setsAmount: boolean;
};

/** Checks that every link has a target, every screen leads to an end, and every confirm screen has an amount. */
function checkRoutes(menu: MenuDraft, report: Report): void {
  let isComplete =
    menu.start !== undefined && Object.values(menu.screens).every((screen) => screen !== undefined);
  const names = `expected the name of a screen: ${Object.keys(menu.screens).join(', ')}`;
  const missing = ({ path, to }: Link) => {
    if (Object.keys(menu.screens).length > 0) report(path, `${names}, found ${to}`);
    isComplete = false;
  };
  const first = menu.start === undefined ? [] : linksTo(menu.start, ['start'], false);
  for (const link of first) if (!Object.hasOwn(menu.screens, link.to)) missing(link);
  for (const [name, screen] of Object.entries(menu.screens)) {
    for (const link of listLinks(name, screen)) {
      const { path, to } = link;
      if (!Object.hasOwn(menu.screens, to)) missing(link);
      else if (screen?.kind === 'confirm' && menu.screens[to] && menu.screens[to].kind !== 'end') {
        report(path, 'expected the name of an end screen');
      }
    }
  }
  if (isComplete) checkReachability(menu, first, report);
}

/** Walks the menu. Its states are the screens, each with and without an amount. */
function checkReachability(menu: MenuDraft, first: readonly Link[], report: Report): void {
  const reached = new Set<string>();
  const withoutAmount = new Map<string, readonly string[]>();
  const queue = first.map(({ to, setsAmount }) => ({ name: to, hasAmount: setsAmount, route: [to] }));
  const seen = new Set<string>();
  for (const { name, hasAmount, route } of queue) {
    const key = `${name} ${hasAmount}`;
    if (seen.has(key)) continue;
    seen.add(key);
    reached.add(name);
    const screen = menu.screens[name];
    if (screen?.kind === 'confirm' && !hasAmount) withoutAmount.set(name, route);
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
    if (!reached.has(name))
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
  const isPriced = screen?.kind === 'ask' && screen.answer === 'number' && screen.each !== undefined;
  const asksAmount = screen?.kind === 'ask' && screen.answer === 'amount';
  return listRoutes(screen).flatMap(({ path, to, option }) =>
    linksTo(to, ['screens', name, ...path], isPriced || asksAmount || option?.set?.amount !== undefined),
  );
}

function linksTo(to: Route, path: Link['path'], setsAmount: boolean): Link[] {
  if (typeof to === 'string') return [{ path, to, setsAmount }];
  return listTargets(to).map((target, i) => ({ path: [...path, i], to: target, setsAmount }));
}
