import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { UserError } from '../../shared/errors.ts';
import { isMap, mapOrEmpty, type UncheckedMap } from '../../shared/json.ts';
import { readTextFile } from '../../shared/text-file.ts';
import { formatFileErrors, readYaml } from '../../shared/yaml.ts';
import type { DatabaseLocation } from '../database/database-location.ts';
import {
  createSealKey,
  isPublicKey,
  isSealSecret,
  type ListedKey,
  type SealKey,
} from '../ledger/seal-key.ts';
import { type Environment, fillSecrets, resolveVariable } from './secrets.ts';

/** Returns the folder of the demo's files: `DIALTILL_DATA`, or `./data`. */
export function demoFolder(env: Environment): string {
  return env.DIALTILL_DATA || './data';
}

/** Returns the file of the user: `file`, `DIALTILL_CONFIG`, or `dialtill.yaml` in the working directory; undefined without one. */
export function findUserConfig(file: string | undefined, env: Environment): string | undefined {
  return file || env.DIALTILL_CONFIG || (existsSync('dialtill.yaml') ? 'dialtill.yaml' : undefined);
}

/** Returns the configuration file of a command: the user's file, or the one that the demo wrote. @throws UserError when neither exists. */
export function findConfig(file: string | undefined, env: Environment): string {
  const demo = join(demoFolder(env), 'demo.yaml');
  const found = findUserConfig(file, env) ?? (existsSync(demo) ? demo : undefined);
  if (found) return found;
  throw new UserError(
    `no configuration file: neither dialtill.yaml nor ${demo} exists. ` +
      'Start the demo with "npx dialtill start", or pass a file with --config.',
  );
}

/**
 * Returns the database that a configuration names. Reads no other setting, so that commands which only read the ledger
 * need no other secrets and do not load the schema of the configuration.
 *
 * @throws UserError when the file cannot be read, or has neither `database.file` nor `database.url`.
 */
export function findDatabase(configFile: string, env: Environment): DatabaseLocation {
  const { file, url } = mapOrEmpty(readSection(configFile, 'database', env)?.database);
  if (typeof file === 'string' && file !== '') return { file: resolve(dirname(configFile), file) };
  if (typeof url === 'string' && URL.canParse(url)) return { url, maxConnections: 2 };
  throw new UserError(
    `${configFile}: expected the path of a database under database.file, or a URL under database.url whose variables are set`,
  );
}

/**
 * Reads a configuration file for one of its sections.
 *
 * @returns the content of the whole file; `undefined` when the section refers to an environment variable that is not set.
 * @throws UserError as `readFilled` does.
 */
export function readSection(configFile: string, section: string, env: Environment): UncheckedMap | undefined {
  const { value, errors } = readFilled(configFile, env);
  return errors.some(({ path: [top] }) => top === section) ? undefined : value;
}

/**
 * Reads a configuration file and replaces its placeholders.
 *
 * @throws UserError when the file cannot be read or is not valid YAML with a map at the top.
 */
export function readFilled(configFile: string, env: Environment): ReturnType<typeof fillSecrets> {
  const text = readTextFile(configFile);
  if (text === undefined) throw new UserError(`${configFile}: expected a readable configuration file`);
  const source = readYaml(text, configFile);
  if (!source.ok) throw new UserError(formatFileErrors(source.errors));
  return fillSecrets(source.value, (name) => resolveVariable(name, env));
}

/**
 * Returns `console.secretsKey` of a configuration. Reads no other setting.
 *
 * @returns `undefined` when the file has no console, or the variable of its key is not set.
 * @throws UserError when the file cannot be read.
 */
export function findConsoleKey(configFile: string, env: Environment): string | undefined {
  const { secretsKey: key } = mapOrEmpty(readSection(configFile, 'console', env)?.console);
  return typeof key === 'string' && key !== '' ? key : undefined;
}

/** The keys of the section `ledger` of a configuration. */
export type ConfiguredSealKeys = {
  /** Absent when it is not configured, or when its environment variable is not set. */
  sealKey: SealKey | undefined;
  /** The public keys of all configured keys. */
  publicKeys: ListedKey[];
  /** The first block that must be signed. */
  signedFrom: number;
};

/**
 * Returns the keys that a configuration names. Reads no other section, and needs no secret: without the environment
 * variable of `sealKey`, the public keys of the file remain.
 *
 * @throws UserError when the file cannot be read.
 */
export function findSealKeys(configFile: string, env: Environment): ConfiguredSealKeys {
  const { ledger } = readFilled(configFile, env).value;
  const { sealKey: secret, publicKeys: listed, signedFrom } = mapOrEmpty(ledger);
  const sealKey = typeof secret === 'string' && isSealSecret(secret) ? createSealKey(secret) : undefined;
  const keys = (Array.isArray(listed) ? listed : []).flatMap((raw) => readListed(raw) ?? []);
  return {
    sealKey,
    publicKeys: [...(sealKey ? [{ key: sealKey.publicKey }] : []), ...keys],
    signedFrom: typeof signedFrom === 'number' ? signedFrom : 1,
  };
}

/** Reads one key without the schema of the configuration, which every command on the ledger would otherwise load. */
function readListed(raw: unknown): ListedKey | undefined {
  const { key, untilBlock }: { key?: unknown; untilBlock?: unknown } = isMap(raw) ? raw : { key: raw };
  if (typeof key !== 'string' || !isPublicKey(key)) return undefined;
  if (untilBlock === undefined) return { key };
  return Number.isSafeInteger(untilBlock) && Number(untilBlock) >= 1
    ? { key, untilBlock: Number(untilBlock) }
    : undefined;
}
