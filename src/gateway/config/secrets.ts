import { readFileSync, statSync } from 'node:fs';
import { isMap, type UncheckedMap } from '../../shared/json.ts';
import { findWeakness } from '../../shared/secret-strength.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The env files of variables whose value there differs from the environment, which takes precedence. The keys are the names. */
export type HiddenVariables = ReadonlyMap<string, string>;
type Path = readonly (string | number)[];

/** A placeholder that has no value, with its path in the configuration. */
type SecretError = { path: Path; message: string };

const maxDepth = 16;
const maxSecretFileBytes = 64 * 1024;

/** The value of a variable, or what is expected of it. */
type Resolved = { value: string } | { message: string; isUnset?: true };

/** Returns the value of `${name}` at a path of the configuration. */
export type Resolve = (name: string, path: Path) => Resolved;

/**
 * Replaces `${NAME}` in every string.
 *
 * @param resolve returns the value of a variable, such as `resolveVariable`.
 * @returns the map and an error for each placeholder without a value. A string with such a placeholder becomes
 *   `undefined`, so that no later check reads the placeholder as a value.
 */
export function fillSecrets(
  value: UncheckedMap,
  resolve: Resolve,
): { value: UncheckedMap; errors: SecretError[] } {
  const errors: SecretError[] = [];

  function fill(part: unknown, path: Path): unknown {
    if (path.length > maxDepth) {
      errors.push({ path, message: `expected at most ${maxDepth} levels` });
      return undefined;
    }
    if (typeof part === 'string') return fillText(part, path);
    if (Array.isArray(part)) return part.map((item, i) => fill(item, [...path, i]));
    return isMap(part) ? fillMap(part, path) : part;
  }

  function fillMap(map: UncheckedMap, path: Path): UncheckedMap {
    return Object.fromEntries(Object.entries(map).map(([key, item]) => [key, fill(item, [...path, key])]));
  }

  function fillText(text: string, path: Path): string | undefined {
    let isComplete = true;
    const filled = text.replace(/\$\{([^}]*)(\}|$)/g, (_, name: string, close: string) => {
      const found = close === '}' ? resolve(name, path) : { message: 'expected } after ${' };
      if ('value' in found) return found.value;
      errors.push({ path, message: found.message });
      isComplete = false;
      return '';
    });
    return isComplete ? filled : undefined;
  }

  return { value: fillMap(value, []), errors };
}

/** Returns a variable, or the trimmed content of the file that `name_FILE` names: container platforms provide secrets as files. */
export function resolveVariable(name: string, env: Environment): Resolved {
  if (!/^[A-Z][A-Z0-9_]{0,63}$/.test(name)) {
    return { message: 'expected capital letters, digits and _ between the braces' };
  }
  // Most tools pass an unset variable as an empty string.
  const value = env[name] || undefined;
  const file = env[`${name}_FILE`] || undefined;
  if (value !== undefined && file !== undefined) {
    return { message: `expected either ${name} or ${name}_FILE in the environment, found both` };
  }
  if (value !== undefined) return { value };
  if (file === undefined)
    return { message: `expected ${name} or ${name}_FILE in the environment`, isUnset: true };
  const content = readSecret(file);
  return content
    ? { value: content }
    : { message: `expected ${name}_FILE to name a readable file that is not empty` };
}

/** Returns the error of a hidden variable: the environment takes precedence, and never changes within a process. */
export function hiddenError(name: string, hidden: HiddenVariables): Resolved | undefined {
  const found = [name, `${name}_FILE`].find((one) => hidden.has(one));
  if (found === undefined) return undefined;
  const message = `expected one value of ${found}, found another one in ${hidden.get(found)} than in the environment of the process, which does not change. Remove ${found} from the environment (such as EnvironmentFile= of a unit), and restart`;
  return { message };
}

/** Reads a secret from a file and trims it. Returns `undefined` when the file cannot be read or is too large. */
export function readSecret(file: string): string | undefined {
  try {
    if (statSync(file).size > maxSecretFileBytes) return undefined;
    return readFileSync(file, 'utf8').trim();
  } catch {
    return undefined;
  }
}

/** The secrets of a configuration. Parts of the wrong type are absent. */
type Secrets = {
  merchants: readonly {
    webhookSecrets: readonly (string | undefined)[];
    lookups?: { secret?: string | undefined } | null | undefined;
  }[];
  channels: readonly { secret?: string | undefined; previousSecret?: string | undefined }[];
};

/** A secret of the configuration that can be guessed. `message` states the reason and the remedy, never the value. */
type WeakSecret = { path: readonly (string | number)[]; message: string };

type Setting = { path: WeakSecret['path']; value: string | undefined; command: string };

/** Returns each secret that can be guessed: a live environment rejects them, a test environment warns about them. */
export function findWeakSecrets(config: Secrets): WeakSecret[] {
  return listSettings(config).flatMap(({ path, value, command }) => {
    const weakness = value === undefined ? undefined : findWeakness(value);
    if (weakness === undefined) return [];
    return {
      path,
      message: `expected a random secret, such as the output of ${command}; this one ${weakness}`,
    };
  });
}

function listSettings({ merchants, channels }: Secrets): Setting[] {
  const ofMerchants = merchants.flatMap(({ webhookSecrets, lookups }, i): Setting[] => [
    ...webhookSecrets.map((value, j) => ({
      path: ['merchants', i, 'webhookSecrets', j],
      value,
      command: '"openssl rand -base64 32"',
    })),
    {
      path: ['merchants', i, 'lookups', 'secret'],
      value: lookups?.secret,
      command: '"echo whsec_$(openssl rand -base64 32)"',
    },
  ]);
  // A part of a path has no +, / or =.
  const command = '"openssl rand -hex 32"';
  const ofChannels = channels.flatMap(({ secret, previousSecret }, i): Setting[] => [
    { path: ['channels', i, 'secret'], value: secret, command },
    { path: ['channels', i, 'previousSecret'], value: previousSecret, command },
  ]);
  return [...ofMerchants, ...ofChannels];
}
