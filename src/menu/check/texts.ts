import { hasGsmForm } from '../../shared/screen-text.ts';
import { isMerchantScreen, messageNames, type Screen, type Text } from '../schema.ts';
import { formatNames } from '../text/format.ts';
import { messagePlaceholders } from '../text/messages.ts';
import {
  commonPlaceholders,
  listPlaceholders,
  listStrayBraces,
  listUnknownFormats,
  questionTemplateValues,
} from '../text/render.ts';
import { collectNames, type MenuDraft, type Report } from './names.ts';

/** A text of the menu with the placeholders that it can use. */
type MenuText = {
  path: readonly (string | number)[];
  text: Text;
  placeholders: readonly string[];
  /** Languages can be missing: the gateway has default messages. */
  isPartial?: boolean;
};

const maxLength = 320;

/** Checks that every text has every language, letters that handsets show, and known placeholders. */
export function checkTexts(menu: MenuDraft, report: Report): void {
  for (const text of toTexts(menu)) checkText(menu, text, report);
}

function checkText(menu: MenuDraft, { path, text, placeholders, isPartial }: MenuText, report: Report): void {
  const translations = typeof text === 'string' ? [{ path, line: text }] : [];
  if (typeof text !== 'string') {
    translations.push(
      ...Object.entries(text).map(([language, line]) => ({ path: [...path, language], line })),
    );
    for (const language of menu.languages) {
      const missing = !isPartial && !Object.hasOwn(text, language);
      if (missing) report(path, `expected a text in ${language} too`, 'missing_translation');
    }
    for (const language of Object.keys(text)) {
      const isUnknown = menu.languages.length > 0 && !menu.languages.includes(language);
      if (isUnknown) report([...path, language], 'expected one of the languages');
    }
  }
  for (const { path: at, line } of translations) {
    if (line.trim() === '' || line.length > maxLength) {
      report(at, `expected 1 to ${maxLength} characters`);
    }
    if (!hasGsmForm(line)) {
      report(at, 'expected letters that handsets show: no emoji, and no letters of other alphabets');
    }
    for (const found of listStrayBraces(line)) {
      report(at, `expected {name} or {name:format} in lower case where braces are; found "${found}"`);
    }
    for (const format of listUnknownFormats(line)) {
      report(at, `expected no format ${format}; known: ${formatNames.join(', ')}`);
    }
    for (const name of listPlaceholders(line)) {
      if (!placeholders.includes(name)) {
        report(at, `expected no {${name}} here; known: ${placeholders.join(', ') || 'none'}`);
      }
    }
  }
}

function toTexts(menu: MenuDraft): MenuText[] {
  const { values, lists } = collectNames(menu);
  // A list has no text form: options with `each` show its items.
  const names = [...values].flatMap(([name, kinds]) => (kinds.has('list') ? [] : name));
  const placeholders = [...commonPlaceholders, ...names];
  const listFields = (list: string | undefined) =>
    [...(lists.get(list ?? '')?.keys() ?? [])].map((field) => `item.${field}`);
  const screens = Object.entries(menu.screens).flatMap(([name, screen]) =>
    screen === undefined ? [] : textsOfScreen(['screens', name], screen, placeholders, listFields),
  );
  const messages = messageNames.flatMap((name): MenuText[] => {
    const text = menu.messages[name];
    if (text === undefined) return [];
    const own = messagePlaceholders[name] ?? [];
    return [{ path: ['messages', name], text, placeholders: own, isPartial: true }];
  });
  return [...messages, ...screens];
}

function textsOfScreen(
  path: string[],
  screen: Screen,
  placeholders: readonly string[],
  fieldsOf: (list: string | undefined) => readonly string[],
): MenuText[] {
  if (isMerchantScreen(screen)) {
    return screen.url === undefined ? [] : [{ path: [...path, 'url'], text: screen.url, placeholders }];
  }
  const own = screen.kind === 'ask' ? Object.keys(questionTemplateValues(screen, {})) : [];
  const text = { path: [...path, 'text'], text: screen.text, placeholders: [...placeholders, ...own] };
  switch (screen.kind) {
    case 'choose': {
      const labels = screen.options.map(({ label, each }, i) => ({
        path: [...path, 'options', i, 'label'],
        text: label,
        placeholders: [...placeholders, ...fieldsOf(each)],
      }));
      const items = screen.options.flatMap(({ list = [] }, i) =>
        list.flatMap((item, at) =>
          Object.entries(item).flatMap(([field, value]) =>
            typeof value === 'string'
              ? { path: [...path, 'options', i, 'list', at, field], text: value, placeholders: [] }
              : [],
          ),
        ),
      );
      return [text, ...labels, ...items];
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
