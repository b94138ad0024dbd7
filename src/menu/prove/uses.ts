import {
  isMerchantScreen,
  listMerchantRoutes,
  listTargets,
  type Menu,
  type Screen,
  type Text,
} from '../schema.ts';

/** Returns the texts of a screen with their paths in it. */
export function toTexts(screen: Screen): { path: (string | number)[]; text: Text }[] {
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

/** Returns the screens and lookups that the answers on a screen lead to directly. */
export function targetScreens(screen: Screen | undefined): string[] {
  switch (screen?.kind) {
    case 'choose':
      return screen.options.flatMap(({ to }) => listTargets(to));
    case 'ask':
      return listTargets(screen.to);
    case 'lookup':
    case 'proxy':
      return listMerchantRoutes(screen).flatMap(([, to]) => listTargets(to));
    case 'confirm':
      return [screen.to];
    default:
      return [];
  }
}

/** Returns a screen and all that answers there lead to, directly or not. */
export function screensAhead({ screens }: Menu, first: string): Set<string> {
  const reached = new Set([first]);
  for (const name of reached) for (const next of targetScreens(screens[name])) reached.add(next);
  return reached;
}
