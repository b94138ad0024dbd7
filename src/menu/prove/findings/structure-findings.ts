import { describeCondition } from '../../graph/menu-graph.ts';
import { isMerchantScreen, type Menu, type Screen, type Text } from '../../schema.ts';
import { readAnswer } from '../../state/answer.ts';
import { asksForSecret } from '../../state/payment-answers.ts';
import { timeConditionsOf } from '../../state/time-condition.ts';
import { maxCounts } from '../inputs/candidates.ts';
import { longestReference } from '../inputs/longest-text.ts';
import { screensAhead, spellsAmounts } from '../walk/uses.ts';
import type { Finding } from './finding.ts';
import { inputCountsFrom } from './routes.ts';
import { endScreensOf, findLookupLoop, type MenuStructure } from './structure.ts';

/** Returns the findings of a menu that no single turn shows. */
export function findInStructure(menu: Menu, structure: MenuStructure, maxInputs: number): Finding[] {
  const { reached, routes, firstScreens, sinks, canPay } = structure;
  const findings: Finding[] = [];
  for (const [name, screen] of Object.entries(menu.screens)) {
    if (screen.kind === 'ask' && asksForSecret(screen)) {
      const message =
        'expected no question for a PIN or a password: dialogues are stored, and others can see the screen';
      findings.push({ kind: 'secret', screen: name, message, ...pathTo(name) });
    }
    if (reached.has(name)) {
      findings.push(...findMissingFallback(name, screen), ...findMissingNetwork(menu, name));
      continue;
    }
    const message = 'expected an answer that leads to this screen: add one or remove the screen';
    findings.push({ kind: 'unreachable', screen: name, message, ...pathTo(name) });
  }
  findings.push(...findNeverOpen(menu, structure));
  const reported = sinks.filter((sink) => !isWithoutFallback(menu, sink));
  findings.push(...reported.map((sink) => sinkFinding(menu, structure, sink)));
  const counts = inputCountsFrom(routes, firstScreens);
  for (const screen of endScreensOf(menu)) {
    const count = counts.get(screen) ?? 0;
    if (count <= maxInputs) continue;
    const message = `expected at most ${maxInputs} inputs to this screen, found ${count}`;
    findings.push({ kind: 'too_many_inputs', screen, message, ...pathTo(screen) });
  }
  if (!canPay) {
    const message = 'expected a route to a confirm screen and on to its end screen: no payment is possible';
    findings.push({ kind: 'no_payment', message, path: ['start'] });
  }
  return findings;
}

function pathTo(screen: string): { path: string[] } {
  return { path: ['screens', screen] };
}

/** Returns a finding for each condition on the time that never holds where its screen is reached. */
function findNeverOpen(menu: Menu, { reached, open }: MenuStructure): Finding[] {
  return timeConditionsOf(menu).flatMap(({ screen, path, when }): Finding[] => {
    if ((screen !== undefined && !reached.has(screen)) || open.has(JSON.stringify(path))) return [];
    const { time, weekday, from, until } = when;
    const subject = screen === undefined ? 'the menu' : path.includes('options') ? 'the option' : 'the route';
    const message = `expected a time at which ${subject} is open, found none: ${describeCondition({ time, weekday, from, until })}`;
    return [{ kind: 'never_open', ...(screen !== undefined && { screen }), message, path }];
  });
}

function findMissingFallback(screen: string, content: Screen): Finding[] {
  if (!isMerchantScreen(content) || content.fallback !== undefined) return [];
  const message = `expected fallback: without it, the dialogue ends when the ${content.kind} has no answer in time`;
  return [{ kind: 'no_fallback', screen, message, ...pathTo(screen) }];
}

/** Returns a finding for a question for another payer's number without a choice of its network on a route before or after it. */
function findMissingNetwork(menu: Menu, name: string): Finding[] {
  const question = menu.screens[name];
  if (question?.kind !== 'ask' || question.answer !== 'msisdn') return [];
  const ahead = screensAhead(menu, name);
  const isChosen = Object.entries(menu.screens).some(
    ([other, screen]) =>
      screen.kind === 'choose' &&
      screen.options.some(({ set }) => set?.operator !== undefined) &&
      (ahead.has(other) || screensAhead(menu, other).has(name)),
  );
  if (isChosen) return [];
  const message =
    'expected a choice of its network, with options such as set: { operator: mtn }: a ported number keeps its prefix, and its prompt goes to the wrong network';
  return [{ kind: 'no_network', screen: name, message, ...pathTo(name) }];
}

/** True for the last turn of a proxy screen without a fallback, which has a finding of its own. */
function isWithoutFallback({ screens }: Menu, sink: ReadonlySet<string>): boolean {
  return [...sink].every((name) => {
    const screen = screens[name];
    return screen?.kind === 'proxy' && screen.fallback === undefined;
  });
}

function sinkFinding(menu: Menu, { routes }: MenuStructure, sink: ReadonlySet<string>): Finding {
  const screens = Object.keys(menu.screens).filter((screen) => sink.has(screen));
  const [screen = ''] = screens;
  const isAnswered = screens.every((name) => isMerchantScreen(menu.screens[name]));
  const lookupLoop = isAnswered ? findLookupLoop(menu, screens) : undefined;
  if (lookupLoop) return lookupLoop;
  if (screens.length > 1 || routes.get(screen)?.has(screen)) {
    const message = `expected a route to an end screen, found only a loop: ${[...screens, screen].join(' > ')}`;
    return { kind: 'loop', screen, message, ...pathTo(screen) };
  }
  return {
    kind: 'dead_end',
    screen,
    message: 'expected an answer that leads on to an end screen',
    ...pathTo(screen),
  };
}

/** Returns a finding for each question whose longest answer, or longest amount in words, cannot be computed. */
export function findUnproven(menu: Menu): Finding[] {
  const withWords = spellsAmounts(menu);
  return Object.entries(menu.screens).flatMap(([screen, content]): Finding[] => {
    const problem = problemOf(content, withWords);
    if (problem === undefined) return [];
    const { key, message } = problem;
    return [{ kind: 'unproven', screen, message, path: ['screens', screen, key] }];
  });
}

function problemOf(screen: Screen, withWords: boolean): { key: string; message: string } | undefined {
  if (screen.kind !== 'ask') return undefined;
  if (screen.answer === 'number') {
    const { each, min, max } = screen;
    const isComputed = typeof each === 'number' ? max - min <= maxCounts : each === undefined;
    if (!withWords || isComputed) return undefined;
    const message = 'expected no amounts in words in this menu: their longest form cannot be computed';
    return { key: 'each', message };
  }
  if ((screen.answer !== 'reference' && screen.answer !== 'text') || screen.pattern === undefined)
    return undefined;
  // A pattern that accepts no input is a dead end instead.
  const isDeadEnd = !readAnswer(screen, screen.example ?? '', {}).ok;
  if (longestReference(screen.pattern) !== undefined || isDeadEnd) return undefined;
  const message =
    'expected a pattern of letters, classes, groups and counts: the longest answer to this one cannot be computed';
  return { key: 'pattern', message };
}

/** The message of the loader for the same problem, so that the two are recognized as one. */
export function missingTranslation(language: string): string {
  return `expected a text in ${language} too`;
}

/** Returns a finding for each text and each language that it lacks. */
export function findMissingTranslations({ languages, screens }: Menu): Finding[] {
  return Object.entries(screens).flatMap(([screen, content]) =>
    textsOf(content).flatMap(({ path, text }) =>
      languages
        .filter((language) => typeof text !== 'string' && !Object.hasOwn(text, language))
        .map((language) => ({
          kind: 'missing_translation' as const,
          screen,
          language,
          message: missingTranslation(language),
          path: ['screens', screen, ...path],
        })),
    ),
  );
}

function textsOf(screen: Screen): { path: (string | number)[]; text: Text }[] {
  if (isMerchantScreen(screen)) return [];
  const texts: { path: (string | number)[]; text: Text }[] = [{ path: ['text'], text: screen.text }];
  if (screen.kind === 'choose') {
    texts.push(...screen.options.map(({ label }, i) => ({ path: ['options', i, 'label'], text: label })));
  }
  if (screen.kind === 'ask' && screen.error !== undefined)
    texts.push({ path: ['error'], text: screen.error });
  if (screen.kind === 'end') {
    const overrides = Object.entries(screen.operators);
    texts.push(...overrides.map(([operator, text]) => ({ path: ['operators', operator], text })));
  }
  return texts;
}
