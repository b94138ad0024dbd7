import { mapOrEmpty } from '../../shared/json.ts';
import { readSection } from './find.ts';
import type { Environment } from './secrets.ts';

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
