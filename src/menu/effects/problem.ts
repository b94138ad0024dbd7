import type { Menu } from '../schema.ts';
import { describeProblem, readFields } from './lookup.ts';
import { readProxyAnswer } from './proxy.ts';

/**
 * Returns why a menu cannot use the answer of the merchant's system: the field and what it must be; `undefined` when it can.
 *
 * @param name of the lookup or proxy screen.
 */
export function problemOfAnswer(
  { screens }: Pick<Menu, 'screens'>,
  name: string,
  fields: object,
): string | undefined {
  const screen = screens[name];
  if (screen?.kind !== 'lookup' && screen?.kind !== 'proxy') return undefined;
  const read = screen.kind === 'lookup' ? readFields(screen.take, fields) : readProxyAnswer(screen, fields);
  return read.ok ? undefined : describeProblem(read);
}
