import { readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import type { Environment, HiddenVariables } from '../gateway/config/secrets.ts';
import { errorCode, errorMessage, UserError } from '../shared/errors.ts';

const maxBytes = 64 * 1024;

/**
 * Adds the variables of an env file to the environment: of the file that `DIALTILL_ENV_FILE` names, or of `.env` in the
 * working directory, if there is one. A variable of the environment takes precedence, also an empty one.
 *
 * @throws UserError when the file cannot be read, is larger than 64 KiB, is named and does not exist, or has a value
 *   that a `#` would cut.
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

/** Returns the file with the tokens of this user, one for each gateway. Only the user may read it. */
export function signInFile(env: Environment): string {
  const folder = env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config');
  return join(folder, 'dialtill', 'sign-ins.json');
}

function readVariables({ DIALTILL_ENV_FILE: named }: Environment): Environment {
  const file = named || '.env';
  const text = readFile(file, named !== undefined && named !== '');
  if (text === undefined) return {};
  rejectCutValues(text, file);
  return parseEnv(text);
}

/** A variable at the beginning of a line: its name, and its value where that is not in quotes. */
const variable = /^[^\S\n]*(?:export[^\S\n]+)?([^\s#=][^\s=]*)[^\S\n]*=(?:[^\S\n]*(["'`])[\s\S]*?\2|(.*))/gm;

/** `parseEnv` ends a value at each `#` outside quotes, so that a secret would lose its end unnoticed. */
function rejectCutValues(text: string, file: string): void {
  for (const { index, 1: name, 3: value = '' } of text.matchAll(variable)) {
    // After a space, the rest of the line is a comment.
    if (!/^(?:[^#]*[^#\s])?#/.test(value)) continue;
    const line = text.slice(0, index).split('\n').length;
    throw new UserError(
      `${file}:${line}: a # in the value of ${name} would begin a comment: quote the value, as in ${name}='...'`,
    );
  }
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
    if (errorCode(cause) === 'ENOENT' && !isNamed) return undefined;
    throw new UserError(`cannot read the env file ${file}: ${errorMessage(cause)}`, { cause });
  }
}
