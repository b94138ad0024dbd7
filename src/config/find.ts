import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { UserError } from '../shared/errors.ts';
import { readYaml } from '../shared/yaml.ts';
import { type Environment, fillSecrets } from './secrets.ts';

/** Where the demo keeps its files. */
export function demoFolder(env: Environment): string {
  return env.DIALTILL_DATA || './data';
}

/** The configuration that a user made: the file named, else `DIALTILL_CONFIG`, else `dialtill.yaml` here. */
export function ownConfig(named: string | undefined, env: Environment): string | undefined {
  return named || env.DIALTILL_CONFIG || (existsSync('dialtill.yaml') ? 'dialtill.yaml' : undefined);
}

/**
 * The configuration file that a command means: the user's own, else the one that the demo wrote.
 *
 * @throws UserError when there is none.
 */
export function findConfig(named: string | undefined, env: Environment): string {
  const demo = join(demoFolder(env), 'demo.yaml');
  const found = ownConfig(named, env) ?? (existsSync(demo) ? demo : undefined);
  if (found) return found;
  throw new UserError(
    `no configuration here: neither dialtill.yaml nor ${demo}. ` +
      'Start the demo with "npx dialtill start", or name a file with --config.',
  );
}

const withDatabase = z.object({ database: z.object({ file: z.string().min(1) }) });

/**
 * The database file that a configuration names. Nothing else of it is looked at: who reads the ledger need not hold
 * the merchants' secrets.
 *
 * @throws UserError when the file cannot be read or names no database.
 */
export function findDatabase(configFile: string, env: Environment): string {
  let text: string;
  try {
    text = readFileSync(configFile, 'utf8');
  } catch (cause) {
    throw new UserError(`${configFile}: expected a configuration file that can be read`, { cause });
  }
  const source = readYaml(text, configFile);
  const parsed = source.ok ? withDatabase.safeParse(fillSecrets(source.value, env).value) : undefined;
  if (!parsed?.success)
    throw new UserError(`${configFile}: expected the path of a database under database.file`);
  return resolve(dirname(configFile), parsed.data.database.file);
}
