import { describeCondition } from '../../graph/menu-graph.ts';
import { isMerchantScreen, type Menu, type Screen } from '../../schema.ts';
import { asksForSecret } from '../../state/payment-answers.ts';
import { timeConditionsOf } from '../../state/time-condition.ts';
import { screensAhead } from '../walk/uses.ts';
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
