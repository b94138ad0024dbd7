import { isDeepStrictEqual } from 'node:util';
import type { Menu } from '../../menu/schema.ts';
import { computeFingerprint } from '../dialogue/stored-state.ts';
import type { Config, Merchant } from './schema.ts';

/** How two configurations differ. It names settings and never a value, which can be a secret. */
export type ConfigChanges = {
  /** One line for each merchant and channel that differs: `merchant demo-shop: menu (screens amount, paid)`. */
  changes: string[];
  /** The sections that only a restart changes, such as `timings`. */
  restart: string[];
};

/** Names of a line; the rest is counted. */
const maxNames = 8;

/** Compares the configuration that runs with the next one. */
export function compareConfigs(before: Config, after: Config): ConfigChanges {
  const { merchants, channels, ...fixed } = before;
  const { merchants: nextMerchants, channels: nextChannels, ...nextFixed } = after;
  return {
    changes: [
      ...compareList('merchant', byId(merchants), byId(nextMerchants), describeMerchant),
      ...compareList('channel', byId(channels), byId(nextChannels), changedSettings),
    ],
    restart: changedKeys(fixed, nextFixed),
  };
}

function byId<T extends { id: string }>(list: readonly T[]): Map<string, T> {
  return new Map(list.map((one) => [one.id, one]));
}

function compareList<T extends object>(
  kind: string,
  before: ReadonlyMap<string, T>,
  after: ReadonlyMap<string, T>,
  describe: (before: T, after: T) => string[],
): string[] {
  const removed = [...before.keys()].filter((id) => !after.has(id));
  return [
    ...removed.map((id) => `${kind} ${id}: removed`),
    ...[...after].flatMap(([id, next]) => {
      const known = before.get(id);
      if (!known) return [`${kind} ${id}: added`];
      const changed = describe(known, next);
      return changed.length === 0 ? [] : [`${kind} ${id}: ${changed.join(', ')}`];
    }),
  ];
}

function describeMerchant(before: Merchant, after: Merchant): string[] {
  const { menu, handlers, ...settings } = before;
  const { menu: nextMenu, handlers: nextHandlers, ...nextSettings } = after;
  const hasNewCode = !isDeepStrictEqual(getCode(handlers), getCode(nextHandlers));
  return [
    ...(computeFingerprint(menu) === computeFingerprint(nextMenu) ? [] : [describeMenu(menu, nextMenu)]),
    ...(hasNewCode ? ['lookup handlers'] : []),
    ...changedSettings(settings, nextSettings),
  ];
}

function describeMenu(before: Menu, after: Menu): string {
  const screens = changedKeys(before.screens, after.screens);
  const others = changedKeys({ ...before, screens: null }, { ...after, screens: null });
  const parts = [...(screens.length === 0 ? [] : [`screens ${listed(screens)}`]), ...others];
  return `menu (${parts.join('; ')})`;
}

/** Functions of two loads of a file are never equal, but their texts are. */
function getCode(handlers: Merchant['handlers']): Record<string, string> {
  return Object.fromEntries(Object.entries(handlers).map(([name, handler]) => [name, String(handler)]));
}

/** Returns the settings that differ, as a file names them. */
function changedSettings(before: object, after: object): string[] {
  return changedKeys(before, after).map((name) => name.replace(/Ms$/, 'Seconds'));
}

function changedKeys(before: object, after: object): string[] {
  const [old, next] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  const names = new Set([...old.keys(), ...next.keys()]);
  return [...names].filter((name) => !isDeepStrictEqual(old.get(name), next.get(name)));
}

function listed(names: readonly string[]): string {
  const rest = names.length - maxNames;
  return [...names.slice(0, maxNames), ...(rest > 0 ? [`and ${rest} more`] : [])].join(' ');
}
