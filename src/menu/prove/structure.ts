import { describeCondition } from '../graph/menu-graph.ts';
import { isMerchantScreen, type Menu, type Screen, targetsOf } from '../schema.ts';
import { maxOfferedOptions } from '../screens/options.ts';
import { boundNames } from '../state/amount-bounds.ts';
import { asksForSecret } from '../state/payment-answers.ts';
import { timeConditionsOf, timeHolds } from '../state/time-condition.ts';
import { pick, placeholdersOf } from '../text/render.ts';
import { isOptional } from './domain.ts';
import type { Finding, FindingKind } from './finding.ts';
import type { CommonTexts } from './search.ts';
import { amountBoundsIn, lacksPrice, type Node, offeredIn, type Search, shownDomain } from './search.ts';
import { screensAhead, targetScreens, textsOf } from './uses.ts';

/** Inputs to an end screen. */
export type InputCounts = {
  /** To the farthest end screen by its shortest route. */
  readonly shortest: number;
  /** By the longest route to an end screen; `undefined` with no route, or too many to compute. */
  readonly longest: number | undefined;
};

/** The structure of a menu, as the search shows it. */
export type MenuStructure = {
  readonly findings: readonly Finding[];
  /** The screens and lookups that dialogues reach. */
  readonly reached: ReadonlySet<string>;
  /** The screens from which some payers cannot reach an end screen. */
  readonly stuck: ReadonlySet<string>;
  /** A payment can be confirmed. */
  readonly canPay: boolean;
  readonly inputs: InputCounts;
};

/** Returns the structure of a menu with the findings that do not depend on the length of a screen. */
export function readStructure(
  menu: Menu,
  { nodes, routes, first }: Search,
  { maxInputs, texts, today = '' }: { maxInputs: number; texts: CommonTexts; today: string | undefined },
): MenuStructure {
  const all = [...nodes.values()];
  const reached = new Set(all.map(({ state }) => state.screen));
  const stuck = stuckNodes(menu, nodes);
  const canPay = all.some(
    ({ state }) => menu.screens[state.screen]?.kind === 'confirm' && state.values.amount,
  );
  const farthest = new Map<string, number>();
  for (const { state, inputs } of all) {
    if (menu.screens[state.screen]?.kind !== 'end') continue;
    farthest.set(state.screen, Math.min(inputs.length, farthest.get(state.screen) ?? inputs.length));
  }
  return {
    reached,
    stuck: new Set([...stuck.values()].map(({ state }) => state.screen)),
    canPay,
    inputs: { shortest: Math.max(0, ...farthest.values()), longest: longestRoute(routes, first, farthest) },
    findings: [
      ...all.flatMap((node) => findIn(menu, node, texts)),
      ...Object.entries(menu.screens).flatMap(([name, screen]) =>
        findOn(menu, name, screen, {
          isReached: reached.has(name),
          inputs: farthest.get(name) ?? 0,
          maxInputs,
        }),
      ),
      ...findNeverOpen(menu, all, today),
      ...findSinks(menu, stuck),
      ...findLookupLoops(menu, reached),
      ...(canPay ? [] : [noPayment]),
    ],
  };
}

const noPayment: Finding = {
  kind: 'no_payment',
  message: 'expected a route to a confirm screen and on to its end screen: no payment is possible',
  path: ['start'],
};

type Context = { readonly isReached: boolean; readonly inputs: number; readonly maxInputs: number };

/** Returns the findings of a screen, whatever the values. */
function findOn(
  menu: Menu,
  name: string,
  screen: Screen,
  { isReached, inputs, maxInputs }: Context,
): Finding[] {
  const path = ['screens', name];
  const found = (kind: FindingKind, message: string): Finding[] => [{ kind, screen: name, message, path }];
  return [
    ...(screen.kind === 'ask' && asksForSecret(screen)
      ? found(
          'secret',
          'expected no question for a PIN or a password: dialogues are stored, and others can see the screen',
        )
      : []),
    ...(isReached
      ? []
      : found('unreachable', 'expected an answer that leads to this screen: add one or remove the screen')),
    ...(isReached && isMerchantScreen(screen) && screen.fallback === undefined
      ? found(
          'no_fallback',
          `expected fallback: without it, the dialogue ends when the ${screen.kind} has no answer in time`,
        )
      : []),
    ...(isReached && lacksNetwork(menu, name)
      ? found(
          'no_network',
          'expected a choice of its network, with options such as set: { operator: mtn }: a ported number keeps its prefix, and its prompt goes to the wrong network',
        )
      : []),
    ...(inputs > maxInputs
      ? found('too_many_inputs', `expected at most ${maxInputs} inputs to this screen, found ${inputs}`)
      : []),
    ...findMissingTranslations(menu, name, screen),
  ];
}

/** True for a question for another payer's number without a choice of its network on a route before or after it. */
function lacksNetwork(menu: Menu, name: string): boolean {
  const question = menu.screens[name];
  if (question?.kind !== 'ask' || question.answer !== 'msisdn') return false;
  const ahead = screensAhead(menu, name);
  return !Object.entries(menu.screens).some(
    ([other, screen]) =>
      screen.kind === 'choose' &&
      screen.options.some(({ set }) => set?.operator !== undefined) &&
      (ahead.has(other) || screensAhead(menu, other).has(name)),
  );
}

/** The message of the loader for the same problem, so that the two are recognized as one. */
export function missingTranslation(language: string): string {
  return `expected a text in ${language} too`;
}

function findMissingTranslations({ languages }: Menu, screen: string, content: Screen): Finding[] {
  return textsOf(content).flatMap(({ path, text }) =>
    languages
      .filter((language) => typeof text !== 'string' && !Object.hasOwn(text, language))
      .map((language) => ({
        kind: 'missing_translation' as const,
        screen,
        language,
        message: missingTranslation(language),
        path: ['screens', screen, ...path],
      })),
  );
}

/** Returns a finding for each condition on the time that never holds, from `today` on, where its screen is reached. */
function findNeverOpen(menu: Menu, nodes: readonly Node[], today: string): Finding[] {
  return timeConditionsOf(menu).flatMap(({ screen, path, when }): Finding[] => {
    const there = nodes.filter(({ state }) => screen === undefined || state.screen === screen);
    const isOpen = there.some(({ state }) => state.localTime >= today && timeHolds(when, state.localTime));
    if (there.length === 0 || isOpen) return [];
    const { time, weekday, from, until } = when;
    const subject = screen === undefined ? 'the menu' : path.includes('options') ? 'the option' : 'the route';
    const message = `expected a time at which ${subject} is open, found none: ${describeCondition({ time, weekday, from, until })}`;
    return [{ kind: 'never_open', ...(screen !== undefined && { screen }), message, path }];
  });
}

/** Returns the findings of one state. */
function findIn(menu: Menu, { state, inputs, assumptions }: Node, texts: CommonTexts): Finding[] {
  const { screen: name, language } = state;
  const screen = menu.screens[name];
  const path = ['screens', name];
  const found = (kind: FindingKind, message: string, more: Partial<Finding> = {}): Finding[] => [
    { kind, screen: name, message, inputs, assumptions, path, ...more },
  ];
  const isShown = (line: string, own: readonly string[] = []) =>
    line.trim() !== '' &&
    placeholdersOf(line).every(
      (one) => own.includes(one) || shownDomain(texts, state, one)?.isOptional === false,
    );
  const isBlank = (text: string, own?: readonly string[]) =>
    !text.split('\n').some((line) => isShown(line, own));
  const blankText = (text: string, own: readonly string[], at: readonly string[]) =>
    isBlank(text, own)
      ? found('blank', 'expected words: every line has a placeholder without a value here', {
          language,
          path: [...path, ...at, language],
        })
      : [];
  switch (screen?.kind) {
    case 'choose': {
      const offered = offeredIn(state, screen);
      const isCertain = offered.some((one) => one.isCertain);
      const count = offered.reduce((sum, one) => sum + one.count, 0);
      const items = offered.flatMap(({ values }) =>
        Object.keys(values).filter((one) => one.startsWith('item.')),
      );
      return [
        ...(isCertain ? [] : blankText(pick(screen.text, language), [], ['text'])),
        ...(isCertain
          ? []
          : found('dead_end', 'expected an option without a condition: no option is left here')),
        ...(count > maxOfferedOptions
          ? found(
              'too_many_options',
              `expected at most ${maxOfferedOptions} options, found ${count}: no payer turns so many pages`,
              { path: [...path, 'options'] },
            )
          : []),
        ...offered.flatMap(({ option, at }, i) =>
          isBlank(pick(option.label, language), items)
            ? found('blank', `expected words for option ${i + 1}: its placeholders have no value here`, {
                language,
                path: [...path, 'options', String(at), 'label', language],
              })
            : [],
        ),
      ];
    }
    case 'ask': {
      const own = ['min', 'max', ...(screen.example === undefined ? [] : ['example'])];
      const isImpossible =
        (screen.answer === 'amount' && amountBoundsIn(state, screen).isImpossible) ||
        (screen.answer === 'number' && lacksPrice(state, screen));
      const unbound =
        screen.answer === 'amount' ? boundNames(screen).filter((one) => isOptional(state.values, one)) : [];
      return [
        ...blankText(pick(screen.text, language), own, ['text']),
        ...(isImpossible ? found('dead_end', 'expected an answer that leads on to an end screen') : []),
        ...unbound.flatMap((bound) =>
          found(
            'unbounded',
            `expected a value of {${bound}} on every route to this question: without one, any amount is valid`,
          ),
        ),
      ];
    }
    case 'confirm': {
      const lines = pick(screen.text, language).split('\n');
      const shows = lines.some(
        (line) => /\{amount(_words)?(:[a-z]+)?\}/.test(line) && isShown(line, ['amount', 'amount_words']),
      );
      return [
        ...(isOptional(state.values, 'amount')
          ? found('lost', 'expected an amount on every route to this screen: without one, the dialogue ends')
          : []),
        ...(state.values.amount && !shows
          ? found(
              'hidden_amount',
              'expected the amount: its line has another placeholder, without a value here',
              {
                language,
                path: [...path, 'text', language],
              },
            )
          : []),
      ];
    }
    case 'end':
      return [
        ...blankText(pick(screen.text, language), [], ['text']),
        ...Object.entries(screen.operators).flatMap(([operator, text]) =>
          blankText(pick(text, language), [], ['operators', operator]),
        ),
      ];
    default:
      return [];
  }
}

/** Returns the states from which no end can be reached. Going back is not progress. */
function stuckNodes(menu: Menu, nodes: ReadonlyMap<string, Node>): Map<string, Node> {
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

/** Returns a finding for each group of stuck screens that lead only to each other. */
function findSinks(menu: Menu, stuck: ReadonlyMap<string, Node>): Finding[] {
  const next = new Map<string, Set<string>>();
  for (const { state, next: keys } of stuck.values()) {
    const known = next.get(state.screen) ?? new Set();
    for (const key of keys) known.add(stuck.get(key)?.state.screen ?? state.screen);
    next.set(state.screen, known);
  }
  const aheadOf = (first: string) => {
    const ahead = new Set(next.get(first));
    for (const one of ahead) for (const further of next.get(one) ?? []) ahead.add(further);
    return ahead;
  };
  const reported = new Set<string>();
  return [...next.keys()].flatMap((name): Finding[] => {
    const ahead = aheadOf(name);
    const isSink = [...ahead].every((one) => one === name || aheadOf(one).has(name));
    if (!isSink || reported.has(name)) return [];
    const group = Object.keys(menu.screens).filter((one) => one === name || ahead.has(one));
    for (const one of group) reported.add(one);
    return sinkFinding(menu, group, ahead.has(name));
  });
}

function sinkFinding(menu: Menu, group: readonly string[], isLoop: boolean): Finding[] {
  const [screen = ''] = group;
  // Lookups in a loop, and those without a fallback, have findings of their own.
  if (group.every((one) => isMerchantScreen(menu.screens[one]))) return [];
  const path = ['screens', screen];
  if (isLoop) {
    const message = `expected a route to an end screen, found only a loop: ${[...group, screen].join(' > ')}`;
    return [{ kind: 'loop', screen, message, path }];
  }
  return [{ kind: 'dead_end', screen, message: 'expected an answer that leads on to an end screen', path }];
}

/** Returns a finding for lookups, and fallbacks of proxy screens, that lead to each other without a text between them. */
function findLookupLoops(menu: Menu, reached: ReadonlySet<string>): Finding[] {
  const withoutText = (name: string) => {
    const screen = menu.screens[name];
    const next =
      screen?.kind === 'proxy'
        ? screen.fallback === undefined
          ? []
          : targetsOf(screen.fallback)
        : targetScreens(screen);
    return next.filter((one) => isMerchantScreen(menu.screens[one]));
  };
  const aheadOf = (first: string) => {
    const ahead = new Set(withoutText(first));
    for (const one of ahead) for (const next of withoutText(one)) ahead.add(next);
    return ahead;
  };
  const merchants = [...reached].filter((name) => isMerchantScreen(menu.screens[name]));
  const looping = merchants.filter((name) => aheadOf(name).has(name));
  const groups = new Set(
    looping.map((name) =>
      Object.keys(menu.screens)
        .filter((one) => looping.includes(one) && aheadOf(name).has(one) && aheadOf(one).has(name))
        .join(', '),
    ),
  );
  return [...groups].map((group) => {
    const [screen = ''] = group.split(', ');
    const message = `expected a screen between lookups that lead to each other: ${group}`;
    return { kind: 'loop', screen, message, path: ['screens', screen] };
  });
}

const maxTries = 200_000;

/** Returns the most inputs to one of `ends` without showing a screen twice; `undefined` without a route, or with too many. */
function longestRoute(
  routes: Search['routes'],
  firstScreens: Iterable<string>,
  ends: ReadonlyMap<string, unknown>,
): number | undefined {
  let longest: number | undefined;
  let tries = 0;
  const passed = new Set<string>();
  const follow = (screen: string, count: number) => {
    if (++tries > maxTries) return;
    if (ends.has(screen)) longest = Math.max(longest ?? 0, count);
    passed.add(screen);
    for (const next of routes.get(screen) ?? []) if (!passed.has(next)) follow(next, count + 1);
    passed.delete(screen);
  };
  for (const first of firstScreens) follow(first, 0);
  return tries > maxTries ? undefined : longest;
}
