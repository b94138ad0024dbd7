import { amountMinor, formatCedis, parseCedis } from '../../shared/money.ts';
import type { Cedis } from './definition.ts';

/**
 * An amount that stands in a text, such as one from a price list: `12`, `12.5`, `12.50`, `1,200.00`.
 *
 * @throws RangeError when it is no amount.
 */
export function cedis(text: string): Cedis {
  const amount = parseCedis(text);
  if (amount === undefined)
    throw new RangeError(`expected an amount such as '12.00', found ${JSON.stringify(text)}`);
  return written(amount);
}

/**
 * An amount in pesewas: `pesewas(1250)` is `'12.50'`.
 *
 * @throws RangeError when it is no amount.
 */
export function pesewas(amount: number): Cedis {
  return written(amountMinor(amount));
}

function written(amount: number): Cedis {
  return formatCedis(amount).replace('GHS ', '') as Cedis;
}
