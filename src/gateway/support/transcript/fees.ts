import type { CollectionRow } from '../../collection/collection.ts';
import { cedis } from './ends.ts';
import { type DialogueHistory, getState } from './history-query.ts';
import { quoted } from './step.ts';

/** A rehearsal accepts this number of fees. */
const maxFees = 10;

type Fee = { priceMinor: number; feeMinor: number };

/** The fees of the payments by price. `isComplete` is false when a price had two fees, or there are too many. */
export type Fees = { entries: Record<string, unknown>[]; isComplete: boolean };

/** Returns the fees that the service quoted for the prices of the dialogues. */
export function getFees({ turns, opened }: DialogueHistory): Fees {
  const found: Fee[] = [
    ...turns.flatMap((turn) => getState(turn).quoted?.quote ?? []).map(quotedFee),
    ...opened.flatMap(({ row }) => getFee(row)),
    // Without a quote, screens show the price as the charge.
    ...opened
      .filter(({ row }) => getFee(row).length === 0)
      .map(({ row }) => ({ ...noFee, priceMinor: row.goodsMinor })),
  ];
  const byPrice = new Map<number, number>();
  let hasConflict = false;
  for (const { priceMinor, feeMinor } of found) {
    const known = byPrice.get(priceMinor);
    if (known === undefined) byPrice.set(priceMinor, feeMinor);
    else if (known !== feeMinor) hasConflict = true;
  }
  const entries = [...byPrice].map(([price, fee]) => ({
    price: quoted(cedis(price)),
    fee: quoted(cedis(fee)),
  }));
  return { entries: entries.slice(0, maxFees), isComplete: !hasConflict && entries.length <= maxFees };
}

const noFee = { feeMinor: 0 };

function quotedFee({ totalMinor, feeMinor }: { totalMinor: number; feeMinor: number }): Fee {
  return { priceMinor: totalMinor - feeMinor, feeMinor };
}

function getFee({ goodsMinor, feeMinor, shownTotalMinor }: CollectionRow): Fee[] {
  const minor = feeMinor ?? (shownTotalMinor === null ? undefined : shownTotalMinor - goodsMinor);
  return minor === undefined ? [] : [{ priceMinor: goodsMinor, feeMinor: minor }];
}
