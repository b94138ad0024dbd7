import { amountMinor, formatCedis, parseCedis } from '../../shared/money.ts';
import type { Cedis } from './definition.ts';

/**
 * Converts a text to an amount in cedis: `12`, `12.5`, `12.50`, `1,200.00`.
 *
 * @throws RangeError when the text is not an amount.
 */
export function cedis(text: string): Cedis {
  const amount = parseCedis(text);
  if (amount === undefined)
    throw new RangeError(`expected an amount such as '12.00', found ${JSON.stringify(text)}`);
  return toCedis(amount);
}

/**
 * Converts an amount in pesewas to cedis: `pesewas(1250)` is `'12.50'`.
 *
 * @throws RangeError when the number is not an amount.
 */
export function pesewas(amount: number): Cedis {
  return toCedis(amountMinor(amount));
}

function toCedis(amount: number): Cedis {
  return formatCedis(amount).replace('GHS ', '') as Cedis;
}
