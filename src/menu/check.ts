import { referencePattern } from './answer.ts';
import { checkRoutes } from './check-routes.ts';
import { checkTexts } from './check-texts.ts';
import { draftSchema, type MenuDraft, type Report } from './draft.ts';
import { commonPlaceholders, pick, placeholdersOf } from './render.ts';
import type { AskScreen, ConfirmScreen, Screen } from './schema.ts';

/** Reports what the parts of a menu file say wrongly about each other. */
export function checkMenu(value: unknown, report: Report): void {
  const menu = draftSchema.parse(typeof value === 'object' && value !== null ? value : {});
  checkLanguages(menu, report);
  checkTexts(menu, report);
  for (const [name, screen] of Object.entries(menu.screens)) checkScreen(menu, name, screen, report);
  checkRoutes(menu, report);
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

/** A payer never says yes to an amount that the screen does not show. */
function checkConfirm(menu: MenuDraft, { text }: ConfirmScreen, path: string[], report: Report): void {
  const blind = menu.languages.some((language) => !placeholdersOf(pick(text, language)).includes('amount'));
  if (blind) report([...path, 'text'], 'expected {amount} in the text of a confirm screen');
}

function checkQuestion(screen: AskScreen, path: string[], report: Report): void {
  if (screen.answer === 'amount' && screen.min > screen.max) {
    report([...path, 'max'], 'expected an amount not below min');
  }
  if (screen.answer === 'text' && commonPlaceholders.includes(screen.name)) {
    report([...path, 'name'], `expected a name other than ${commonPlaceholders.join(', ')}`);
  }
  if (screen.answer === 'reference') checkPattern(screen, path, report);
}

function checkPattern(
  { pattern, example }: Extract<AskScreen, { answer: 'reference' }>,
  path: string[],
  report: Report,
): void {
  // A repeated group can take the matcher longer than anybody waits.
  if (/\)[*+{]/.test(pattern)) {
    report([...path, 'pattern'], 'expected no repeated groups');
    return;
  }
  try {
    if (!referencePattern(pattern).test(example)) {
      report([...path, 'example'], 'expected an example that the pattern accepts');
    }
  } catch {
    report([...path, 'pattern'], 'expected a regular expression');
  }
}
