import { readFileSync, statSync } from 'node:fs';
import { parseEnv } from 'node:util';
import type { Environment, HiddenVariables } from '../gateway/config/secrets.ts';
import { codeOf, messageOf, UserError } from '../shared/errors.ts';

const maxBytes = 64 * 1024;

/**
 * Adds the variables of an env file to the environment: of the file that `DIALTILL_ENV_FILE` names, or of `.env` in the
 * working directory, if there is one. A variable of the environment takes precedence, also an empty one.
 *
 * @throws UserError when the file cannot be read, is larger than 64 KiB, or is named and does not exist.
 */
export function withEnvFile(env: Environment): Environment {
  const set = Object.entries(env).filter(([, value]) => value !== undefined);
  return { ...readVariables(env), ...Object.fromEntries(set) };
}

/** Returns the variables of the env file that the environment has with another value. @throws UserError as `withEnvFile` does. */
export function findHiddenVariables(env: Environment): HiddenVariables {
  const differs = ([name, value]: [string, unknown]) => env[name] !== undefined && env[name] !== value;
  const names = Object.entries(readVariables(env)).filter(differs);
  return new Map(names.map(([name]) => [name, env.DIALTILL_ENV_FILE || '.env']));
}

function readVariables({ DIALTILL_ENV_FILE: named }: Environment): Environment {
  const text = readFile(named || '.env', named !== undefined && named !== '');
  return text === undefined ? {} : parseEnv(text);
}

function readFile(file: string, isNamed: boolean): string | undefined {
  try {
    const found = statSync(file);
    // A folder or a device with this name is no env file.
    if (!found.isFile() && !isNamed) return undefined;
    if (!found.isFile() || found.size > maxBytes)
      throw new UserError(`${file}: expected an env file of at most ${maxBytes} bytes`);
    return readFileSync(file, 'utf8');
  } catch (cause) {
    if (cause instanceof UserError) throw cause;
    if (codeOf(cause) === 'ENOENT' && !isNamed) return undefined;
    throw new UserError(`cannot read the env file ${file}: ${messageOf(cause)}`, { cause });
  }
}
