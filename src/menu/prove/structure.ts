import { describeCondition } from '../graph/menu-graph.ts';
import {
  isMerchantScreen,
  listRoutes,
  listTargets,
  type Menu,
  type Screen,
  type Text,
  takesNetwork,
} from '../schema.ts';
import { maxOfferedOptions } from '../screens/options.ts';
import { boundNames } from '../state/answer.ts';
import { listTimeConditions, timeHolds } from '../state/condition.ts';
import { asksForSecret } from '../state/payment-answers.ts';
import { message } from '../text/messages.ts';
import { listPlaceholders, pick } from '../text/render.ts';
import { offeredIn } from './answers.ts';
import { isOptional } from './domain.ts';
import type { Finding, FindingKind } from './finding.ts';
import type { Node, Search } from './search.ts';
import { amountBoundsIn, type CommonTexts, lacksPrice, type MenuRules, shownDomain } from './values.ts';

/** Returns the structure of a menu, as the search shows it, with the findings that do not depend on the length of a screen. */
export function readStructure(
  { menu, texts }: MenuRules,
  nodes: Search,
  { maxInputs, today = '' }: { maxInputs: number; today: string | undefined },
) {
  const all = [...nodes.values()];
  const reached = new Set(all.map(({ state }) => state.screen));
  const stuck = stuckNodes(menu, nodes);
  const canPay = all.some(
    ({ state }) => menu.screens[state.screen]?.kind === 'confirm' && state.values.amount,
  );
  const counts = new Map<string, number>();
  for (const { state, inputs } of all) {
    if (menu.screens[state.screen]?.kind !== 'end') continue;
    counts.set(state.screen, Math.min(inputs.length, counts.get(state.screen) ?? inputs.length));
  }
  return {
    reached,
    inputs: Math.max(0, ...counts.values()),
    findings: [
      ...all.flatMap((node) => [...findIn(menu, node, texts)]),
      ...Object.entries(menu.screens).flatMap((one) => [
        ...findOn(menu, one, { isReached: reached.has(one[0]), count: counts.get(one[0]) ?? 0, maxInputs }),
      ]),
      ...findNeverOpen(menu, all, today),
      ...findSinks(menu, stuck),
      ...findLookupLoops(menu),
      ...(canPay ? findHiddenAmounts(menu) : [noPayment]),
    ],
  };
}

const noPayment: Finding = {
  kind: 'no_payment',
  message: 'expected a route to a confirm screen and on to its end screen: no payment is possible',
  path: ['start'],
};

/** Returns the findings of a screen, whatever the values. */
function* findOn(
  menu: Menu,
  [name, screen]: [string, Screen],
  { isReached, count, maxInputs }: { isReached: boolean; count: number; maxInputs: number },
): Iterable<Finding> {
  const found = (kind: FindingKind, message: string): Finding => ({
    kind,
    screen: name,
    message,
    path: ['screens', name],
  });
  if (screen.kind === 'ask' && asksForSecret(screen)) {
    const reason = 'dialogues are stored, and others can see the screen';
    yield found('secret', `expected no question for a PIN or a password: ${reason}`);
  }
  if (!isReached) {
    yield found('unreachable', 'expected an answer that leads to this screen: add one or remove the screen');
  } else if (isMerchantScreen(screen) && screen.fallback === undefined) {
    const reason = `without it, the dialogue ends when the ${screen.kind} has no answer in time`;
    yield found('no_fallback', `expected fallback: ${reason}`);
  } else if (lacksNetwork(menu, name)) {
    const reason = 'a ported number keeps its prefix, and its prompt goes to the wrong network';
    const example = 'with options such as set: { operator: mtn }';
    yield found('no_network', `expected a choice of its network, ${example}: ${reason}`);
  }
  if (count > maxInputs) {
    yield found('too_many_inputs', `expected at most ${maxInputs} inputs to this screen, found ${count}`);
  }
}

/** True for a question for another payer's number without a choice of its network on a route before or after it. */
function lacksNetwork(menu: Menu, name: string): boolean {
  const question = menu.screens[name];
  if (question?.kind !== 'ask' || question.answer !== 'msisdn') return false;
  const getAhead = (first: string) => getClosure((one) => targetScreens(menu.screens[one]), first);
  const ahead = getAhead(name);
  const setsNetwork = (screen: Screen) =>
    screen.kind === 'choose'
      ? screen.options.some(({ set }) => set?.operator !== undefined)
      : isMerchantScreen(screen) && takesNetwork(screen);
  return !Object.entries(menu.screens).some(
    ([other, screen]) => setsNetwork(screen) && (ahead.has(other) || getAhead(other).has(name)),
  );
}

/** Returns a finding for each condition on the time that never holds, from `today` on, where its screen is reached. */
function findNeverOpen(menu: Menu, nodes: readonly Node[], today: string): Finding[] {
  return listTimeConditions(menu).flatMap(({ screen, path, when }): Finding[] => {
    const there = nodes.filter(({ state }) => screen === undefined || state.screen === screen);
    const isOpen = there.some(({ state }) => state.localTime >= today && timeHolds(when, state.localTime));
    if (there.length === 0 || isOpen) return [];
    const { time, weekday, from, until } = when;
    const subject = screen === undefined ? 'the menu' : path.includes('options') ? 'the option' : 'the route';
    const message = `expected a time at which ${subject} is open, found none: ${describeCondition({ time, weekday, from, until })}`;
    return [{ kind: 'never_open', ...(screen !== undefined && { screen }), message, path }];
  });
}

function* findIn(menu: Menu, { state, inputs, assumptions }: Node, texts: CommonTexts): Iterable<Finding> {
  const { screen: name, language, values } = state;
  const screen = menu.screens[name];
  if (!screen || isMerchantScreen(screen)) return;
  const path = ['screens', name];
  const found = (kind: FindingKind, message: string, more: Partial<Finding> = {}): Finding => {
    return { kind, screen: name, message, inputs, assumptions, path, ...more };
  };
  const inText = (...at: string[]) => ({ language, path: [...path, ...at, language] });
  const isShown = (line: string, own: readonly string[]) =>
    line.trim() !== '' &&
    listPlaceholders(line).every(
      (one) => own.includes(one) || shownDomain(texts, state, one)?.isOptional === false,
    );
  const lines = (text: Text) => pick(text, language).split('\n');
  const isBlank = (text: Text, own: readonly string[] = []) =>
    !lines(text).some((line) => isShown(line, own));
  const noWords = 'expected words: every line has a placeholder without a value here';
  const impossible = found('dead_end', 'expected an answer that leads on to an end screen');
  switch (screen.kind) {
    case 'choose': {
      const offered = offeredIn(state, screen);
      const count = offered.reduce((sum, one) => sum + one.count, 0);
      if (!offered.some(({ isCertain }) => isCertain)) {
        yield found('dead_end', 'expected an option without a condition: no option is left here');
        if (isBlank(screen.text)) yield found('blank', noWords, inText('text'));
      }
      if (count > maxOfferedOptions) {
        const message = `expected at most ${maxOfferedOptions} options, found ${count}: no payer turns so many pages`;
        yield found('too_many_options', message, { path: [...path, 'options'] });
      }
      for (const [i, { option, at, values: own }] of offered.entries()) {
        const items = Object.keys(own).filter((one) => one.startsWith('item.'));
        const message = `expected words for option ${i + 1}: its placeholders have no value here`;
        if (isBlank(option.label, items))
          yield found('blank', message, inText('options', String(at), 'label'));
      }
      return;
    }
    case 'ask': {
      if (isBlank(screen.text, ['min', 'max', 'example'])) yield found('blank', noWords, inText('text'));
      if (screen.answer === 'number' && lacksPrice(state, screen)) yield impossible;
      if (screen.answer !== 'amount') return;
      if (amountBoundsIn(state, screen).isImpossible) yield impossible;
      for (const bound of boundNames(screen).filter((one) => isOptional(values, one))) {
        const reason = 'without one, any amount is valid';
        yield found('unbounded', `expected a value of {${bound}} on every route to this question: ${reason}`);
      }
      return;
    }
    case 'confirm': {
      const names = ['amount', 'amount_words'];
      const shows = (line: string) =>
        listPlaceholders(line).some((one) => names.includes(one)) && isShown(line, names);
      if (isOptional(values, 'amount'))
        yield found(
          'lost',
          'expected an amount on every route to this screen: without one, the dialogue ends',
        );
      if (values.amount && !lines(screen.text).some(shows))
        yield found('hidden_amount', hiddenAmount, inText('text'));
      return;
    }
    case 'end':
      if (isBlank(screen.text)) yield found('blank', noWords, inText('text'));
      for (const [operator, text] of Object.entries(screen.operators))
        if (isBlank(text)) yield found('blank', noWords, inText('operators', operator));
      return;
    default:
  }
}

const hiddenAmount = 'expected the amount: its line has another placeholder, without a value here';

/** The messages above a second confirmation, in which a payer must read the amount. */
const confirming = ['duplicate', 'paymentFailed'] as const;

/** A character that no text of a menu has. */
const mark = '\u0001';

/** Returns a finding for each message that confirms an amount without a line that always shows it. */
function* findHiddenAmounts(menu: Menu): Iterable<Finding> {
  const shown = { amount: mark, charge: mark, merchant: '-', payer: '-', time: '-' };
  const values = { ...shown, short_reference: '-', approvals: '-' };
  for (const name of confirming) {
    for (const language of menu.languages) {
      // Only what every payment has: the reference and the reason can be unknown.
      if (message(menu, language, name, values).includes(mark)) continue;
      const path = ['messages', name, language];
      yield { kind: 'hidden_amount', screen: `(${name})`, language, message: hiddenAmount, path };
    }
  }
}

/** Returns the states from which no end can be reached. Going back is not progress. */
function stuckNodes(menu: Menu, nodes: Search): Map<string, Node> {
  const before = new Map<string, string[]>();
  for (const [key, { next }] of nodes)
    for (const to of next) before.set(to, [...(before.get(to) ?? []), key]);
  const isEnd = ({ state }: Node) => {
    const screen = menu.screens[state.screen];
    if (screen?.kind === 'confirm') return !state.values.amount;
    return screen?.kind === 'end' || screen?.kind === 'status' || screen?.kind === 'requests';
  };
  const leading = new Set([...nodes].flatMap(([key, node]) => (isEnd(node) ? key : [])));
  for (const key of leading) for (const from of before.get(key) ?? []) leading.add(from);
  return new Map([...nodes].filter(([key]) => !leading.has(key)));
}

/** Returns the screens that a screen leads to, directly or not: itself only in a loop. */
function getClosure(next: (name: string) => Iterable<string>, first: string): Set<string> {
  const ahead = new Set(next(first));
  for (const one of ahead) for (const further of next(one)) ahead.add(further);
  return ahead;
}

/** Returns a finding for each stuck screen that leads nowhere, or only back to itself. */
function* findSinks(menu: Menu, stuck: ReadonlyMap<string, Node>): Iterable<Finding> {
  const next = new Map<string, Set<string>>();
  for (const { state, next: keys } of stuck.values()) {
    const known = next.get(state.screen) ?? new Set();
    for (const key of keys) known.add(stuck.get(key)?.state.screen ?? state.screen);
    next.set(state.screen, known);
  }
  for (const screen of next.keys()) {
    const ahead = getClosure((one) => next.get(one) ?? [], screen);
    const path = ['screens', screen];
    // A lookup without a fallback has a finding of its own.
    if (ahead.size === 0 && !isMerchantScreen(menu.screens[screen]))
      yield { kind: 'dead_end', screen, message: 'expected an answer that leads on to an end screen', path };
    const loop = `expected a route to an end screen, found only a loop: ${[...ahead].join(', ')}`;
    if (ahead.has(screen)) yield { kind: 'loop', screen, message: loop, path };
  }
}

/** Returns a finding for each lookup, or fallback of a proxy screen, that leads to itself without a text between. */
function* findLookupLoops({ screens }: Menu): Iterable<Finding> {
  const next = (name: string) => {
    const screen = screens[name];
    const targets = screen?.kind === 'proxy' ? listTargets(screen.fallback ?? []) : targetScreens(screen);
    return targets.filter((one) => isMerchantScreen(screens[one]));
  };
  for (const [screen, content] of Object.entries(screens)) {
    const ahead = getClosure(next, screen);
    if (!isMerchantScreen(content) || !ahead.has(screen)) continue;
    const names = `expected a screen between lookups that lead to each other: ${[...ahead].join(', ')}`;
    yield { kind: 'loop', screen, message: names, path: ['screens', screen] };
  }
}

/** Returns the screens and lookups that the answers on a screen lead to directly. */
function targetScreens(screen: Screen | undefined): string[] {
  return listRoutes(screen).flatMap(({ to }) => listTargets(to));
}
