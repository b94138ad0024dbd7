import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { UserError } from '../../shared/errors.ts';
import { readYaml } from '../../shared/yaml.ts';
import { type Config, configSchema } from './schema.ts';
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
const withListen = z.object({ listen: configSchema.shape.listen });

/**
 * The database file that a configuration names. Nothing else of it is looked at: who reads the ledger need not hold
 * the merchants' secrets.
 *
 * @throws UserError when the file cannot be read or names no database.
 */
export function findDatabase(configFile: string, env: Environment): string {
  const parsed = withDatabase.safeParse(readPart('database', configFile, env));
  if (!parsed.success)
    throw new UserError(`${configFile}: expected the path of a database under database.file`);
  return resolve(dirname(configFile), parsed.data.database.file);
}

/**
 * Where the gateway of a configuration listens. Nothing else of it is looked at: who asks how it stands need not hold
 * the merchants' secrets.
 *
 * @throws UserError when the file cannot be read or names no such place.
 */
export function findListen(configFile: string, env: Environment): Config['listen'] {
  const parsed = withListen.safeParse(readPart('listen', configFile, env));
  if (!parsed.success) throw new UserError(`${configFile}: expected a host and a port under listen`);
  return parsed.data.listen;
}

/** The file's content, `undefined` where it cannot be read or the part is not whole without the environment. */
function readPart(part: string, configFile: string, env: Environment): unknown {
  let text: string;
  try {
    text = readFileSync(configFile, 'utf8');
  } catch (cause) {
    throw new UserError(`${configFile}: expected a configuration file that can be read`, { cause });
  }
  const source = readYaml(text, configFile);
  if (!source.ok) return undefined;
  const { value, gaps } = fillSecrets(source.value, env);
  return gaps.some(({ path: [top] }) => top === part) ? undefined : value;
}
