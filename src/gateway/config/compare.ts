import { isDeepStrictEqual } from 'node:util';
import type { Menu } from '../../menu/schema.ts';
import { fingerprintOf } from '../dialogue/stored-state.ts';
import type { Config, Merchant } from './schema.ts';

/** How two configurations differ. It names settings and never a value, which can be a secret. */
export type ConfigChanges = {
  /** One line for each merchant, channel and person that differs: `merchant demo-shop: menu (screens amount, paid)`. */
  changes: string[];
  /** The sections that only a restart changes, such as `timings`. */
  restart: string[];
};

/** Names of a line; the rest is counted. */
const maxNames = 8;

/** Compares the configuration that runs with the next one. */
export function compareConfigs(before: Config, after: Config): ConfigChanges {
  const { merchants, channels, staff, ...fixed } = before;
  const { merchants: nextMerchants, channels: nextChannels, staff: nextStaff, ...nextFixed } = after;
  return {
    changes: [
      ...compareList('merchant', byName(merchants, idOf), byName(nextMerchants, idOf), describeMerchant),
      ...compareList('channel', byName(channels, idOf), byName(nextChannels, idOf), changedSettings),
      ...compareList('person', byName(staff, nameOf), byName(nextStaff, nameOf), changedSettings),
    ],
    restart: changedKeys(fixed, nextFixed),
  };
}

const idOf = ({ id }: { id: string }) => id;
const nameOf = ({ name }: { name: string }) => name;

function byName<T>(list: readonly T[], name: (one: T) => string): Map<string, T> {
  return new Map(list.map((one) => [name(one), one]));
}

function compareList<T extends object>(
  kind: string,
  before: ReadonlyMap<string, T>,
  after: ReadonlyMap<string, T>,
  describe: (before: T, after: T) => string[],
): string[] {
  const removed = [...before.keys()].filter((name) => !after.has(name));
  return [
    ...removed.map((name) => `${kind} ${name}: removed`),
    ...[...after].flatMap(([name, next]) => {
      const known = before.get(name);
      if (!known) return [`${kind} ${name}: added`];
      const changed = describe(known, next);
      return changed.length === 0 ? [] : [`${kind} ${name}: ${changed.join(', ')}`];
    }),
  ];
}

function describeMerchant(before: Merchant, after: Merchant): string[] {
  const { menu, handlers, ...settings } = before;
  const { menu: nextMenu, handlers: nextHandlers, ...nextSettings } = after;
  const hasNewCode = !isDeepStrictEqual(codeOf(handlers), codeOf(nextHandlers));
  return [
    ...(fingerprintOf(menu) === fingerprintOf(nextMenu) ? [] : [describeMenu(menu, nextMenu)]),
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
function codeOf(handlers: Merchant['handlers']): Record<string, string> {
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
