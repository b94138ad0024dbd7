import { hasHighFee } from './oracle/oracle.ts';
import type { OracleSession } from './oracle/session.ts';
import type { Payer } from './payer.ts';

/** What a payer confirmed, as far as the screen showed it. Amounts are in pesewas. */
export type Confirmation = {
  merchant?: string;
  goodsMinor?: number;
  /** An amount that the screen shows without stating whether it includes the fee. */
  priceOrTotalMinor?: number;
  totalMinor?: number;
  payer?: string;
  /** Typed on a screen that the payer has not read, which may have shown anything. */
  isUnread?: boolean;
  /** A prompt was matched to this confirmation. Each prompt needs its own. */
  isUsed: boolean;
};

const minor = (text: string) => Math.round(Number(text.replaceAll(',', '')) * 100);

/** Reads the amounts and names of the screen on which the payer confirmed. */
export function readConfirmation(text: string): Confirmation {
  const [, goods, merchant, payer] = /Pay GHS ([\d.,]+) to (\S+) from (0\d{9})/.exec(text) ?? [];
  const [, either, again] = /GHS ([\d.,]+) to (\S+) was not/.exec(text) ?? [];
  const [, total] = /total GHS ([\d.,]*\d)/.exec(text) ?? [];
  const named = merchant ?? again;
  return {
    isUsed: false,
    ...(named === undefined ? {} : { merchant: named }),
    ...(goods === undefined ? {} : { goodsMinor: minor(goods) }),
    ...(either === undefined ? {} : { priceOrTotalMinor: minor(either) }),
    ...(total === undefined ? {} : { totalMinor: minor(total) }),
    ...(payer === undefined ? {} : { payer: `233${payer.slice(1)}` }),
  };
}

type Asked = Pick<OracleSession, 'id' | 'merchant' | 'goodsMinor' | 'feeMinor' | 'amountMinor' | 'msisdn'>;

function fits(
  { isUsed, isUnread = false, merchant, goodsMinor, priceOrTotalMinor, totalMinor, payer }: Confirmation,
  asked: Asked,
): boolean {
  return (
    !isUsed &&
    (merchant ?? asked.merchant) === asked.merchant &&
    (goodsMinor ?? asked.goodsMinor) === asked.goodsMinor &&
    (totalMinor ?? asked.amountMinor) === asked.amountMinor &&
    (isUnread || totalMinor !== undefined || priceOrTotalMinor !== undefined || !hasHighFee(asked)) &&
    (payer ?? asked.msisdn) === asked.msisdn &&
    (priceOrTotalMinor === undefined ||
      priceOrTotalMinor === asked.goodsMinor ||
      priceOrTotalMinor === asked.amountMinor)
  );
}

/** The number of details that the screen showed. */
const named = ({ isUsed: _, isUnread: __, ...shown }: Confirmation) => Object.values(shown).length;

/**
 * Marks the confirmation that a prompt belongs to as used: same merchant, payer and price, and the same total where
 * the screen showed one, or else a fee within its limit. Of several candidates it takes the most specific one, because a less specific one may
 * belong to another prompt. Reports I1 if there is none.
 */
export function useConfirmation(
  asked: Asked,
  payers: readonly Pick<Payer, 'confirmations'>[],
  violate: (rule: string, what: string) => void,
): void {
  const fitting = payers.flatMap(({ confirmations }) => confirmations).filter((one) => fits(one, asked));
  const [confirmation] = fitting.sort((a, b) => named(b) - named(a));
  if (confirmation) confirmation.isUsed = true;
  else
    violate(
      'I1',
      `no confirmation for ${asked.id}: price ${asked.goodsMinor} pesewas, total ${asked.amountMinor}, payer ${asked.msisdn.slice(-3)}, merchant ${asked.merchant}`,
    );
}
