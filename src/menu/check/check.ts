import type { UncheckedMap } from '../../shared/json.ts';
import { type AskScreen, type ConfirmScreen, getMinCount, type Screen } from '../schema.ts';
import { compilePattern } from '../state/pattern.ts';
import { listPlaceholders, pick } from '../text/render.ts';
import { draftSchema, type MenuDraft, type Report } from './draft.ts';
import { checkRoutes } from './routes.ts';
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
  if (screen.answer === 'reference' || screen.answer === 'text') checkPattern(screen, path, report);
}

const patternExpected =
  'expected a regular expression in RE2 syntax, without lookaheads, lookbehinds and backreferences';

function checkPattern(
  { pattern, example }: Pick<Extract<AskScreen, { answer: 'text' }>, 'pattern' | 'example'>,
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
