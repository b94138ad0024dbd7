import { existsSync, readFileSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { z } from 'zod';
import { type LoadedMenu, loadMenu } from '../../menu/file/load.ts';
import type { Menu } from '../../menu/schema.ts';
import { UserError } from '../../shared/errors.ts';
import {
  type Fault,
  formatFaults,
  inOrder,
  readYaml,
  schemaFaults,
  type YamlSource,
} from '../../shared/yaml.ts';
import { type ConfigDraft, checkConfig, checkLookups, draftOf } from './check.ts';
import { type Config, configSchema, type Merchant } from './schema.ts';
import { type Environment, fillSecrets } from './secrets.ts';

/** The aggregators that a channel may choose from, each with the shape of its own settings. */
export type Dialects = Readonly<Record<string, { settings: z.ZodType }>>;

/**
 * Reads the configuration file, the secrets it names and the menus it names.
 *
 * `dialects` are what a channel may choose from. Relative paths are meant from the file's folder.
 * @throws UserError listing every fault of every file with its line; it never quotes a value.
 */
export function loadConfig(file: string, env: Environment, dialects: Dialects): Config {
  const source = readYaml(readText(file), file);
  if (!source.ok) throw refusal(file, source.faults);
  const { value, gaps } = fillSecrets(source.value, env);
  const faults: Fault[] = gaps.map(({ path, message }) => source.faultAt(path, message));
  const known = new Set(faults.map(({ path }) => path));
  const parsed = configSchema.safeParse(value);
  if (!parsed.success) {
    faults.push(...schemaFaults(source, parsed.error).filter(({ path }) => !known.has(path)));
  }
  const draft = draftOf(value);
  checkConfig(draft, Object.keys(dialects), (path, message) => faults.push(source.faultAt(path, message)));
  const told = new Set(faults.map(({ path }) => path));
  faults.push(...settingsFaults(draft, dialects, source).filter(({ path }) => !told.has(path)));
  const folder = dirname(file);
  const menus = loadMenus(draft, folder, source);
  checkLookups(draft, menus.find, (path, message) => faults.push(source.faultAt(path, message)));
  const all = [...inOrder([...source.faults, ...faults, ...menus.missing]), ...menus.faults];
  if (!parsed.success || all.length > 0) throw refusal(file, all);
  const { merchants, database, ...rest } = parsed.data;
  return {
    ...rest,
    database: { file: resolve(folder, database.file) },
    merchants: merchants.map((merchant) => ({ ...merchant, ...menus.get(merchant.menu) })),
  };
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw new UserError(`${file}: expected a configuration file that can be read`);
  }
}

function refusal(file: string, faults: readonly Fault[]): UserError {
  const many = faults.length === 1 ? 'a fault' : `${faults.length} faults`;
  return new UserError(`${file} has ${many} to put right first:\n${formatFaults(faults)}`);
}

/** What is wrong with channels' settings, each as its own aggregator has them. */
function settingsFaults({ channels }: ConfigDraft, dialects: Dialects, source: YamlSource): Fault[] {
  return channels.flatMap(({ aggregator, settings }, i) => {
    const dialect = Object.hasOwn(dialects, aggregator ?? '') ? dialects[aggregator ?? ''] : undefined;
    const parsed = dialect?.settings.safeParse(settings ?? {});
    return parsed?.error ? schemaFaults(source, parsed.error, ['channels', i, 'settings']) : [];
  });
}

/** Reads each menu once, however many merchants share it. */
function loadMenus({ merchants }: ConfigDraft, folder: string, source: YamlSource) {
  const loaded = new Map<string, LoadedMenu>();
  const missing: Fault[] = [];
  for (const [i, { menu: name }] of merchants.entries()) {
    if (!name) continue;
    const file = isAbsolute(name) ? name : join(folder, name);
    if (!existsSync(file))
      missing.push(source.faultAt(['merchants', i, 'menu'], 'expected the path of a menu file'));
    else if (!loaded.has(name)) loaded.set(name, loadMenu(file));
  }
  const find = (name: string): Menu | undefined => {
    const one = loaded.get(name);
    return one?.ok ? one.menu : undefined;
  };
  return {
    missing,
    faults: [...loaded.values()].flatMap((menu) => (menu.ok ? [] : menu.faults)),
    find,
    get(name: string): Pick<Merchant, 'menu' | 'handlers'> {
      const one = loaded.get(name);
      if (!one?.ok) throw new Error('a menu was not loaded');
      return { menu: one.menu, handlers: one.handlers };
    },
  };
}
