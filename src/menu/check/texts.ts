import { canBeShown } from '../../shared/screen-text.ts';
import { messageNames, type Screen, type Text } from '../schema.ts';
import { formatNames } from '../text/format.ts';
import { messagePlaceholders } from '../text/messages.ts';
import {
  commonPlaceholders,
  placeholdersOf,
  questionTemplateValues,
  unknownFormatsOf,
} from '../text/render.ts';
import type { MenuDraft, Report } from './draft.ts';
import { namesOf } from './names.ts';

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
    if (!canBeShown(line)) {
      report(place, 'expected letters that handsets show: no emoji, and no letters of other alphabets');
    }
    for (const format of unknownFormatsOf(line)) {
      report(place, `expected no format ${format}; known: ${formatNames.join(', ')}`);
    }
    for (const name of placeholdersOf(line)) {
      if (!placeholders.includes(name)) {
        report(place, `expected no {${name}} here; known: ${placeholders.join(', ') || 'none'}`);
      }
    }
  }
}

function placesOf(menu: MenuDraft): Place[] {
  const { values, lists } = namesOf(menu);
  // A list is shown by options that stand for its items.
  const names = [...values].flatMap(([name, kinds]) => (kinds.has('list') ? [] : name));
  const placeholders = [...commonPlaceholders, ...names];
  const fieldsOf = (list: string | undefined) =>
    [...(lists.get(list ?? '')?.keys() ?? [])].map((field) => `item.${field}`);
  const screens = Object.entries(menu.screens).flatMap(([name, screen]) =>
    screen === undefined ? [] : placesOfScreen(['screens', name], screen, placeholders, fieldsOf),
  );
  const messages = messageNames.flatMap((name): Place[] => {
    const text = menu.messages[name];
    if (text === undefined) return [];
    const own = messagePlaceholders[name] ?? [];
    return [{ path: ['messages', name], text, placeholders: own, partial: true }];
  });
  return [...messages, ...screens];
}

function placesOfScreen(
  path: string[],
  screen: Screen,
  placeholders: readonly string[],
  fieldsOf: (list: string | undefined) => readonly string[],
): Place[] {
  if (screen.kind === 'lookup') {
    return screen.url === undefined ? [] : [{ path: [...path, 'url'], text: screen.url, placeholders }];
  }
  const own = screen.kind === 'ask' ? Object.keys(questionTemplateValues(screen)) : [];
  const text = { path: [...path, 'text'], text: screen.text, placeholders: [...placeholders, ...own] };
  switch (screen.kind) {
    case 'choose': {
      const labels = screen.options.map(({ label, each }, i) => ({
        path: [...path, 'options', i, 'label'],
        text: label,
        placeholders: [...placeholders, ...fieldsOf(each)],
      }));
      return [text, ...labels];
    }
    case 'ask':
      return screen.error === undefined
        ? [text]
        : [text, { path: [...path, 'error'], text: screen.error, placeholders: own }];
    case 'end': {
      const overrides = Object.entries(screen.operators).map(([operator, line]) => ({
        path: [...path, 'operators', operator],
        text: line,
        placeholders,
      }));
      return [text, ...overrides];
    }
    default:
      return [text];
  }
}
