import { readFileSync, statSync } from 'node:fs';

export type Environment = Readonly<Record<string, string | undefined>>;
type Path = readonly (string | number)[];

/** What could not be filled in, and where. */
type Gap = { path: Path; message: string };

const deepest = 16;
const maxSecretFile = 64 * 1024;

/**
 * Puts the environment's values in the place of `${NAME}` in every string: of `NAME`, or of the file that
 * `NAME_FILE` names (how container platforms hand out secrets), without the blanks around it.
 *
 * A string with a gap becomes `undefined`, so that nothing later takes the placeholder for a value.
 */
export function fillSecrets(value: unknown, env: Environment): { value: unknown; gaps: Gap[] } {
  const gaps: Gap[] = [];

  function fill(part: unknown, path: Path): unknown {
    if (path.length > deepest) {
      gaps.push({ path, message: `expected at most ${deepest} levels` });
      return undefined;
    }
    if (typeof part === 'string') return fillText(part, path);
    if (Array.isArray(part)) return part.map((item, i) => fill(item, [...path, i]));
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([key, item]) => [key, fill(item, [...path, key])]));
  }

  function fillText(text: string, path: Path): string | undefined {
    let whole = true;
    const filled = text.replace(/\$\{([^}]*)(\}|$)/g, (_, name: string, close: string) => {
      const found = close === '}' ? look(name, env) : { message: 'expected a } after ${' };
      if ('value' in found) return found.value;
      gaps.push({ path, message: found.message });
      whole = false;
      return '';
    });
    return whole ? filled : undefined;
  }

  return { value: fill(value, []), gaps };
}

function look(name: string, env: Environment): { value: string } | { message: string } {
  if (!/^[A-Z][A-Z0-9_]{0,63}$/.test(name)) {
    return { message: 'expected capital letters, digits and _ between the braces' };
  }
  // An empty variable is how most tools say "not set".
  const value = env[name] || undefined;
  const file = env[`${name}_FILE`] || undefined;
  if (value !== undefined && file !== undefined) {
    return { message: `expected either ${name} or ${name}_FILE in the environment, found both` };
  }
  if (value !== undefined) return { value };
  if (file === undefined) return { message: `expected ${name} or ${name}_FILE in the environment` };
  const content = readSecret(file);
  return content
    ? { value: content }
    : { message: `expected ${name}_FILE to name a readable file with text in it` };
}

/** A secret out of its file, without the blanks around it; `undefined` where it cannot be read. */
export function readSecret(file: string): string | undefined {
  try {
    if (statSync(file).size > maxSecretFile) return undefined;
    return readFileSync(file, 'utf8').trim();
  } catch {
    return undefined;
  }
}
