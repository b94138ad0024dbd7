import { enter } from '../state/enter.ts';
import { afterResume, startMenu } from '../state/start-menu.ts';
import type { MenuState, Step } from '../state/state.ts';
import { contextAtStart } from '../state/time-condition.ts';
import { offerKeys, type ScreenInput } from './screen.ts';
import { rejectInput } from './show.ts';

/** Starts the menu in the chosen language. */
export function applyLanguage({ menu, context, state, typed }: ScreenInput): Step {
  const { languages } = menu;
  const language = languages[offerKeys(languages.length, state, context).indexOf(typed)];
  if (language === undefined) return rejectInput(menu, state, context, 'invalidOption');
  const step = startMenu(menu, language, context, { lastInput: typed });
  return { ...step, preferences: [{ kind: 'language', language }] };
}

/** Continues the interrupted dialogue, or starts over. */
export function applyResumeChoice({ menu, context, state, typed }: ScreenInput): Step {
  const { callerHistory = {} } = state;
  const { interrupted, ...rest } = callerHistory;
  const [continueKey, startOverKey] = offerKeys(2, state, context);
  if (typed === continueKey && interrupted) {
    // The interrupted dialogue can still advance and use its quote, so the resumed one requests its own.
    const { notice: _, page: _page, quoted: _quoted, ...resumed } = beforeDuplicate(interrupted);
    return enter(
      menu,
      { ...resumed, invalidInputs: 0, lastInput: typed },
      contextAtStart(interrupted, context),
    );
  }
  if (typed === startOverKey) return afterResume(menu, rest, context, typed);
  return rejectInput(menu, state, context, 'invalidOption');
}

/** A dialogue that was interrupted on the duplicate screen resumes on the confirm screen, which names the total. */
function beforeDuplicate(interrupted: MenuState): MenuState {
  const confirm = interrupted.history?.at(-1);
  if (interrupted.screen !== '(duplicate)' || confirm === undefined) return interrupted;
  const { duplicate: _, previousInput: _previous, history = [], ...rest } = interrupted;
  return { ...rest, ...confirm, history: history.slice(0, -1) };
}
