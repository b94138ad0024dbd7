import { addressOf, lookupKey, lookupRequest } from '../effects/lookup.ts';
import { intentOf, quoteFor } from '../effects/quote.ts';
import type { LookupScreen, Menu, Route } from '../schema.ts';
import { screenOf } from '../screens/screen.ts';
import { close, endLost, maxInvalidInputs, show } from '../screens/show.ts';
import { resolveRoute } from './condition.ts';
import type { HistoryEntry, LookedUp, MenuContext, MenuState, Step } from './state.ts';

/** Look-ups in a row without a screen between them; a menu that has more goes round in a circle. */
const mostLookups = 8;

/**
 * Shows the screen that a state has come to. A look-up shows nothing: it leads on to where its answer leads, and while
 * that is not known the step says what is wanted, and holds what is shown without it.
 */
export function enter(menu: Menu, state: MenuState, context: MenuContext): Step {
  return pass(menu, state, context, 0);
}

/** `passed`: how many look-ups nobody answered on the way to here. */
function pass(menu: Menu, state: MenuState, context: MenuContext, passed: number): Step {
  let at = state;
  for (let count = passed; count <= mostLookups; count++) {
    const screen = screenOf(menu, at.screen);
    switch (screen?.kind) {
      case undefined:
        return endLost(menu, at);
      case 'lookup': {
        const { asked, url, question } = questionOf(screen, at, context);
        const known = at.lookedUp?.find((one) => one.question === question);
        if (known) {
          const next = afterAnswer(menu, screen, at, known.answer, context);
          if ('reply' in next) return next;
          at = next;
          continue;
        }
        const without = withoutAnswer(menu, screen, at, context, count + 1);
        // An address with a gap in it asks nobody.
        if (url === '') return without;
        return { ...without, effect: { kind: 'lookup', at, asked, ...(url === undefined ? {} : { url }) } };
      }
      case 'confirm': {
        const shown = show(menu, at, context);
        const asked = intentOf(at.answers, context);
        if (asked === undefined || quoteFor(at, context) !== undefined) return shown;
        return { ...shown, effect: { kind: 'quote', at, asked } };
      }
      case 'status':
        return context.isAttendant ? show(menu, at, context) : close(menu, at, 'closed', 'attendantsOnly');
      default:
        return show(menu, at, context);
    }
  }
  return endLost(menu, at);
}

export function questionOf(screen: LookupScreen, at: MenuState, context: MenuContext) {
  const asked = lookupRequest(at.screen, at, context);
  const url = screen.url === undefined ? undefined : addressOf(screen.url, at, context);
  return { asked, url, question: lookupKey(asked, url) };
}

/** What holds while nobody has answered. */
export function withoutAnswer(
  menu: Menu,
  screen: LookupScreen,
  at: MenuState,
  context: MenuContext,
  passed = 0,
): Step {
  if (screen.fallback !== undefined) {
    return pass(menu, goOn(withoutTaken(at, screen), screen.fallback, context), context, passed);
  }
  return close(menu, at, 'closed', 'lookupFailed', { merchant: context.merchant });
}

/** What an earlier answer of the same look-up said is no longer so. */
function withoutTaken(at: MenuState, { take }: LookupScreen): MenuState {
  const { values = {} } = at.answers;
  const kept = Object.entries(values).filter(([name]) => !Object.hasOwn(take, name));
  return { ...at, answers: { ...at.answers, values: Object.fromEntries(kept) } };
}

/** Where an answer leads, or what is shown at once. */
function afterAnswer(
  menu: Menu,
  screen: LookupScreen,
  at: MenuState,
  answer: LookedUp['answer'],
  context: MenuContext,
): MenuState | Step {
  if (answer !== 'not_found') {
    const { notFoundCount: _, ...found } = withoutTaken(at, screen);
    const answers = { ...found.answers, values: { ...found.answers.values, ...answer } };
    return goOn({ ...found, answers }, screen.found, context);
  }
  if (screen.notFound !== undefined) return goOn(withoutTaken(at, screen), screen.notFound, context);
  // The payer is asked again, as after every other answer that cannot be used.
  const misses = (at.notFoundCount ?? 0) + 1;
  const stop = at.history?.at(-1);
  if (stop === undefined || misses >= maxInvalidInputs)
    return close(menu, at, 'invalidInputs', 'tooManyInvalidInputsNotPaid');
  const { lastInput: _, ...rest } = at;
  const trail = at.history?.slice(0, -1) ?? [];
  return show(
    menu,
    { ...rest, ...stop, history: trail, notFoundCount: misses, invalidInputs: misses },
    context,
    'notFound',
  );
}

/** The state where a look-up leads: what was left for it stays the last stop. */
function goOn(at: MenuState, to: Route, context: MenuContext): MenuState {
  return { ...at, screen: resolveRoute(to, at, context) };
}

/** The state on the next screen: what was on this one is left behind on the trail. */
export function leave(
  { screen, answers, history: trail = [], notFoundCount: misses, lookedUp, quoted }: MenuState,
  to: Pick<MenuState, 'screen' | 'language' | 'answers' | 'lastInput'>,
): MenuState {
  const behind = to.screen === screen ? trail : shortened([...trail, { screen, answers }]);
  return {
    ...to,
    invalidInputs: 0,
    ...(behind.length > 0 && { history: behind }),
    ...(misses && { notFoundCount: misses }),
    ...(lookedUp && { lookedUp }),
    ...(quoted && { quoted }),
  };
}

/** Screens that a payer can go back to, and characters that they take in a turn's row: more than menus need. */
const maxHistoryLength = 20;
const maxHistorySize = 16_384;

/** The trail without its oldest stops where it is too long: each stop keeps the lists that were looked up by then. */
function shortened(trail: readonly HistoryEntry[]): readonly HistoryEntry[] {
  const sizes = trail.map((stop) => JSON.stringify(stop).length);
  let size = sizes.reduce((sum, one) => sum + one, 0);
  let first = Math.max(0, trail.length - maxHistoryLength);
  for (const one of sizes.slice(0, first)) size -= one;
  while (size > maxHistorySize && first < trail.length - 1) size -= sizes[first++] ?? 0;
  return trail.slice(first);
}
