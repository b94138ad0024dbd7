import { isMerchantScreen, type Menu, type Screen, type Text } from '../../schema.ts';
import type { Finding } from './finding.ts';

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
