import { quoteFor } from '../../effects/quote.ts';
import type { Menu } from '../../schema.ts';
import { confirmKeys } from '../../screens/draw.ts';
import { isBuiltInScreen, screenOf } from '../../screens/screen.ts';
import type { Effect, HistoryEntry, MenuContext, MenuState } from '../../state/state.ts';
import { hasAttendantContent } from '../channel.ts';
import { type AnswerClass, createClassifier, isCovered } from './answer-class.ts';
import { screensAhead } from './uses.ts';

type Sizes = AnswerClass['sizes'];

/** Records which nodes were visited, with values of which sizes, and with which histories to go back to. */
export function createVisitedNodes(menu: Menu, contexts: readonly [MenuContext, ...MenuContext[]]) {
  const [first] = contexts;
  const classify = createClassifier(menu, first);
  const hasAttendantContentAhead = createAttendantCheck(menu);
  const isAttendantAt = (screen: string, { isAttendant }: MenuContext) =>
    isAttendant && hasAttendantContentAhead(screen);
  const visited = new Map<string, Sizes[]>();
  /** By the key of a node, then by the key of a history entry. */
  const histories = new Map<string, Map<string, Sizes[]>>();
  const keyOf = (state: MenuState, context: MenuContext) =>
    nodeKey(menu, state, `${isAttendantAt(state.screen, context)} ${classify(state).key}`);
  const entryKey = (entry: HistoryEntry, index: number, context: MenuContext) =>
    `${entry.screen} ${index === 0} ${isAttendantAt(entry.screen, context)} ${classify(entry).key}`;
  /** True when going back to the entry shows nothing new in any language. */
  const isVisited = ({ screen, answers }: HistoryEntry, index: number, context: MenuContext) =>
    menu.languages.every((language) => {
      const history = index === 0 ? {} : { history: [{ screen, answers }] };
      const state = { screen, language, answers, invalidInputs: 0, lastInput: '0', ...history };
      return isCovered(visited.get(keyOf(state, context)) ?? [], classify(state).sizes);
    });
  return {
    keyOf,
    /** The key of the node in which an effect was requested and has no result yet. */
    effectKey(effect: Effect, context: MenuContext): string {
      const turn = effect.kind === 'proxy' ? effect.request.turn : '';
      return `${effect.kind} ${turn} ${keyOf(effect.state, context)}`;
    },
    /**
     * Returns the state without cached lookup answers and outdated quotes, so that every result of a lookup follows
     * every path to it. The not-found count stays.
     */
    withoutCaches({ lookedUp: _, quoted, ...state }: MenuState): MenuState {
      const isCurrent = quoted && quoteFor({ answers: state.answers, quoted }, first) !== undefined;
      return isCurrent ? { ...state, quoted } : state;
    },
    isNew(key: string, state: MenuState, context: MenuContext): boolean {
      if (!isCovered(visited.get(key) ?? [], classify(state).sizes)) return true;
      const known = histories.get(key);
      return (state.history ?? []).some(
        (entry, index) =>
          !isCovered(known?.get(entryKey(entry, index, context)) ?? [], classify(entry).sizes) &&
          !isVisited(entry, index, context),
      );
    },
    add(key: string, state: MenuState, context: MenuContext): void {
      addSizes(visited, key, classify(state).sizes);
      const known = histories.get(key) ?? new Map();
      for (const [index, entry] of (state.history ?? []).entries())
        addSizes(known, entryKey(entry, index, context), classify(entry).sizes);
      histories.set(key, known);
    },
  };
}

function addSizes(byKey: Map<string, Sizes[]>, key: string, sizes: Sizes): void {
  const known = byKey.get(key) ?? [];
  if (!isCovered(known, sizes)) byKey.set(key, [...known, sizes]);
}

/** Returns a cached check whether a screen, or one ahead of it, has content for attendants alone. */
function createAttendantCheck(menu: Menu): (screen: string) => boolean {
  const known = new Map<string, boolean>();
  return (first) => {
    const found =
      known.get(first) ??
      [...screensAhead(menu, first)].some((name) => hasAttendantContent(menu.screens[name]));
    known.set(first, found);
    return found;
  };
}

function nodeKey(menu: Menu, state: MenuState, answerKey: string): string {
  const {
    screen,
    language,
    answers: _answers,
    invalidInputs,
    startedAt: _startedAt,
    lastInput: _lastInput,
    previousInput: _previousInput,
    page,
    notice,
    history,
    quoted: _quoted,
    duplicate: _duplicate,
    ...rest
  } = state;
  const parts = [
    screen,
    language,
    answerKey,
    invalidInputs,
    lastInputClass(menu, state),
    page,
    notice,
    !history?.length,
    rest,
  ];
  return JSON.stringify(parts);
}

/** The keys of built-in screens depend on the last input. On other screens only its kind matters. */
function lastInputClass(menu: Menu, state: MenuState): unknown {
  const { screen, lastInput } = state;
  const kind = screenOf(menu, screen)?.kind;
  if (kind === 'confirm' || kind === 'duplicate') return confirmKeys(state);
  if (isBuiltInScreen(screen) && /^[1-9]$/.test(lastInput ?? '')) return lastInput;
  if (lastInput === undefined) return false;
  // A menu key is accepted again at once. Any other input is suppressed where it can be a repeat.
  const { back, home, more } = menu.keys;
  return [back, home, ...more].includes(lastInput) ? 'key' : 'input';
}
