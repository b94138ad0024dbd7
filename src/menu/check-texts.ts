import { isPlain } from './answer.ts';
import type { MenuDraft, Report } from './draft.ts';
import { messagePlaceholders } from './messages.ts';
import { commonPlaceholders, placeholdersOf, questionValues } from './render.ts';
import { messageNames, type Screen, type Text } from './schema.ts';

type Place = {
  path: readonly (string | number)[];
  text: Text;
  placeholders: readonly string[];
  /** Languages may be left out: the gateway has words of its own. */
  partial?: boolean;
};

const longestText = 320;

/** Every text must be there in every language, in letters that every handset shows, with known placeholders. */
export function checkTexts(menu: MenuDraft, report: Report): void {
  for (const place of placesOf(menu)) checkText(menu, place, report);
}

function checkText(menu: MenuDraft, { path, text, placeholders, partial }: Place, report: Report): void {
  const spoken = typeof text === 'string' ? [{ path, line: text }] : [];
  if (typeof text !== 'string') {
    spoken.push(...Object.entries(text).map(([language, line]) => ({ path: [...path, language], line })));
    for (const language of menu.languages) {
      const missing = !partial && !Object.hasOwn(text, language);
      if (missing) report(path, `expected a text in ${language} too`);
    }
    for (const language of Object.keys(text)) {
      const foreign = menu.languages.length > 0 && !menu.languages.includes(language);
      if (foreign) report([...path, language], 'expected one of the languages');
    }
  }
  for (const { path: place, line } of spoken) {
    if (line.trim() === '' || line.length > longestText) {
      report(place, `expected 1 to ${longestText} characters`);
    }
    if (!isPlain(line)) {
      report(place, 'expected plain letters only: no accents, curly quotes or currency signs (write GHS)');
    }
    for (const name of placeholdersOf(line)) {
      if (!placeholders.includes(name)) {
        report(place, `expected no {${name}} here; known: ${placeholders.join(', ') || 'none'}`);
      }
    }
  }
}

function placesOf(menu: MenuDraft): Place[] {
  const names = Object.values(menu.screens).flatMap((screen) =>
    screen?.kind === 'ask' && screen.answer === 'text' ? [screen.name] : [],
  );
  const placeholders = [...commonPlaceholders, ...names];
  const screens = Object.entries(menu.screens).flatMap(([name, screen]) =>
    screen === undefined ? [] : placesOfScreen(['screens', name], screen, placeholders),
  );
  const messages = messageNames.flatMap((name): Place[] => {
    const text = menu.messages[name];
    if (text === undefined) return [];
    const own = messagePlaceholders[name] ?? [];
    return [{ path: ['messages', name], text, placeholders: own, partial: true }];
  });
  return [...messages, ...screens];
}

function placesOfScreen(path: string[], screen: Screen, placeholders: readonly string[]): Place[] {
  const own = screen.kind === 'ask' ? Object.keys(questionValues(screen)) : [];
  const text = { path: [...path, 'text'], text: screen.text, placeholders: [...placeholders, ...own] };
  if (screen.kind === 'choose') {
    const labels = screen.options.map(({ label }, i) => ({
      path: [...path, 'options', i, 'label'],
      text: label,
      placeholders,
    }));
    return [text, ...labels];
  }
  if (screen.kind === 'end') {
    const overrides = Object.entries(screen.operators).map(([operator, line]) => ({
      path: [...path, 'operators', operator],
      text: line,
      placeholders,
    }));
    return [text, ...overrides];
  }
  return [text];
}
