import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { z } from 'zod';
import { type LoadedMenu, loadMenu } from '../../menu/file/load.ts';
import type { Menu } from '../../menu/schema.ts';
import { UserError } from '../../shared/errors.ts';
import type { UncheckedMap } from '../../shared/json.ts';
import { readTextFile } from '../../shared/text-file.ts';
import {
  type FileError,
  formatFileErrors,
  readYaml,
  schemaErrors,
  sortErrors,
  type YamlSource,
} from '../../shared/yaml.ts';
import { withAddresses } from './addresses.ts';
import { type ConfigDraft, checkConfig, checkLookups, readDraft } from './check.ts';
import { type Config, configSchema, type Merchant } from './schema.ts';
import {
  type Environment,
  fillSecrets,
  type HiddenVariables,
  hiddenError,
  type Resolve,
  resolveVariable,
} from './secrets.ts';

/** The aggregators that a channel can name, each with the schema of its own settings. */
type Dialects = Readonly<Record<string, { settings: z.ZodType }>>;

/**
 * Loads the configuration file with its secrets and its menus. Relative paths start at the folder of the file.
 *
 * @param dialects the aggregators that a channel can name.
 * @param hidden variables that the configuration must not use: a reload would not apply the values of their file.
 * @throws UserError with all errors of all files, each with its line and column. No error quotes a value.
 */
export function loadConfig(
  file: string,
  env: Environment,
  dialects: Dialects,
  hidden: HiddenVariables = new Map(),
): Config {
  const resolve: Resolve = (name) => hiddenError(name, hidden) ?? resolveVariable(name, env);
  return load(file, dialects, (value) => fillAll(value, resolve, env));
}

/**
 * Loads the configuration file as `loadConfig` does, with stand-ins for the secrets that are not set. It is for commands that use
 * none of them, such as the check of a menu. Never run a gateway for payers with it.
 *
 * @throws UserError as `loadConfig` does.
 */
export function loadWithoutSecrets(file: string, env: Environment, dialects: Dialects): Config {
  const resolve: Resolve = (name) => resolveVariable(name, env);
  return load(file, dialects, (value) => {
    const { environment } = readDraft(fillSecrets(value, resolve).value);
    const standIn = standInsFor(environment === 'live' ? 'live' : 'test');
    const resolveAll: Resolve = (name, path) => {
      const found = resolve(name, path);
      const replacement = 'isUnset' in found ? standIn(path) : undefined;
      return replacement === undefined ? found : { value: replacement };
    };
    return fillAll(value, resolveAll, env);
  });
}

type Filled = ReturnType<typeof fillSecrets>;

/** Fills in the secrets and the addresses. */
function fillAll(value: UncheckedMap, resolve: Resolve, env: Environment): Filled {
  const filled = fillSecrets(value, resolve);
  return { ...filled, value: withAddresses(filled.value, env) };
}

function load(file: string, dialects: Dialects, fill: (value: UncheckedMap) => Filled): Config {
  const source = readYaml(readText(file), file);
  if (!source.ok) throw configError(file, source.errors);
  const { value, errors: secretErrors } = fill(source.value);
  const errors: FileError[] = [...secretErrors, ...findRemovedKeys(value)].map(({ path, message }) =>
    source.errorAt(path, message),
  );
  const report = (path: readonly PropertyKey[], message: string) =>
    void errors.push(source.errorAt(path, message));
  const parsed = configSchema.safeParse(value);
  if (!parsed.success) errors.push(...omitPaths(errors, schemaErrors(source, configSchema, { value })));
  const draft = readDraft(value);
  checkConfig(draft, Object.keys(dialects), report);
  errors.push(...omitPaths(errors, settingsErrors(draft, dialects, source)));
  const folder = dirname(file);
  const menus = loadMenus(draft, folder, source);
  checkLookups(draft, menus.find, report);
  const all = [...sortErrors([...source.errors, ...errors, ...menus.missing]), ...menus.errors];
  if (!parsed.success || all.length > 0) throw configError(file, all);
  const { merchants, database, ...rest } = parsed.data;
  return {
    ...rest,
    database: database.file === undefined ? database : { file: resolve(folder, database.file) },
    merchants: merchants.map((merchant) => ({ ...merchant, ...menus.get(merchant.menu) })),
  };
}

function readText(file: string): string {
  const text = readTextFile(file);
  if (text === undefined) throw new UserError(`${file}: expected a readable configuration file`);
  return text;
}

function configError(file: string, errors: readonly FileError[]): UserError {
  const count = errors.length === 1 ? '1 configuration error' : `${errors.length} configuration errors`;
  return new UserError(`${file}: ${count}\n${formatFileErrors(errors)}`);
}

/** Drops errors at paths that already have one: the first cause is reported, not what follows from it. */
function omitPaths(reported: readonly FileError[], errors: readonly FileError[]): FileError[] {
  const paths = new Set(reported.map(({ path }) => path));
  return errors.filter(({ path }) => !paths.has(path));
}

/** Validates the `settings` of each channel with the schema of its aggregator. */
function settingsErrors({ channels }: ConfigDraft, dialects: Dialects, source: YamlSource): FileError[] {
  return channels.flatMap(({ aggregator, settings }, i) => {
    const dialect = Object.hasOwn(dialects, aggregator ?? '') ? dialects[aggregator ?? ''] : undefined;
    const checked = { value: settings ?? {}, under: ['channels', i, 'settings'] };
    return dialect === undefined ? [] : schemaErrors(source, dialect.settings, checked);
  });
}

/** Loads each menu file once, however many merchants share it. */
function loadMenus({ merchants }: ConfigDraft, folder: string, source: YamlSource) {
  const loaded = new Map<string, LoadedMenu>();
  const missing: FileError[] = [];
  for (const [i, { menu: name }] of merchants.entries()) {
    if (!name) continue;
    const file = isAbsolute(name) ? name : join(folder, name);
    if (!existsSync(file))
      missing.push(
        source.errorAt(['merchants', i, 'menu'], 'the file does not exist: expected the path of a menu file'),
      );
    else if (!loaded.has(name)) loaded.set(name, loadMenu(file));
  }
  const find = (name: string): Menu | undefined => {
    const menu = loaded.get(name);
    return menu?.ok ? menu.menu : undefined;
  };
  return {
    missing,
    errors: [...loaded.values()].flatMap((menu) => (menu.ok ? [] : menu.errors)),
    find,
    get(name: string): Pick<Merchant, 'menu' | 'handlers'> {
      const menu = loaded.get(name);
      if (!menu?.ok) throw new Error(`the menu ${name} is not loaded`);
      return { menu: menu.menu, handlers: menu.handlers };
    },
  };
}

/** Keys that configurations of earlier versions have, with what to do about them. */
const removedKeys: ReadonlyMap<string, string> = new Map([
  [
    'staff',
    'people have accounts: remove this section, and add each person with "dialtill staff add <name> --role <role>" (docs/console.md)',
  ],
]);

/** Returns an error for each key of a configuration that was removed, instead of `unknown key`. */
function findRemovedKeys(value: UncheckedMap): { path: readonly string[]; message: string }[] {
  return Object.keys(value).flatMap((key) => {
    const message = removedKeys.get(key);
    return message === undefined ? [] : [{ path: [key], message }];
  });
}

/** A path in the configuration. */
type Path = readonly (string | number)[];

/** Returns a value in place of a secret that is not set; `undefined` for a setting that is no secret. */
type StandIn = (path: Path) => string | undefined;

/**
 * Returns values that have the form of secrets, for commands that need the configuration and none of its secrets. Each setting
 * has its own value, because some checks require different secrets. A gateway that serves payers must never use them.
 *
 * @param environment the mode of the merchants' keys.
 */
function standInsFor(environment: 'test' | 'live'): StandIn {
  return (path) => {
    const digest = createHash('sha256').update(path.join('.')).digest();
    const [section, , setting, detail] = path;
    if (section === 'merchants') {
      if (setting === 'key') return `sk_${environment}_${digest.toString('hex')}`;
      const isSecret = setting === 'webhookSecrets' || (setting === 'lookups' && detail === 'secret');
      return isSecret ? `whsec_${digest.toString('base64')}` : undefined;
    }
    if (section === 'channels' && (setting === 'secret' || setting === 'previousSecret'))
      return digest.toString('hex');
    if (path.join('.') === 'database.url') return 'postgres://localhost/dialtill';
    const isKey = ['ledger.sealKey', 'notify.secretsKey', 'console.secretsKey'].includes(path.join('.'));
    return isKey ? digest.toString('base64') : undefined;
  };
}
