import type { OracleSession } from './oracle/session.ts';
import type { Payer } from './payer.ts';

/** What a payer said yes to, as far as the screen told. Amounts are pesewas. */
export type Consent = {
  merchant?: string;
  goodsMinor?: number;
  /** Named without saying whether the fee is in it. */
  eitherMinor?: number;
  totalMinor?: number;
  payer?: string;
  /** A prompt came of it: another needs a yes of its own. */
  isUsed: boolean;
};

const minor = (text: string) => Math.round(Number(text.replaceAll(',', '')) * 100);

/** Reads the screen on which a yes was given. */
export function consentOn(text: string): Consent {
  const [, goods, merchant, payer] = /Pay GHS ([\d.,]+) to (\S+) from (0\d{9})/.exec(text) ?? [];
  const [, either, again] = /GHS ([\d.,]+) to (\S+) was not/.exec(text) ?? [];
  const [, total] = /total GHS ([\d.,]*\d)/.exec(text) ?? [];
  const named = merchant ?? again;
  return {
    isUsed: false,
    ...(named === undefined ? {} : { merchant: named }),
    ...(goods === undefined ? {} : { goodsMinor: minor(goods) }),
    ...(either === undefined ? {} : { eitherMinor: minor(either) }),
    ...(total === undefined ? {} : { totalMinor: minor(total) }),
    ...(payer === undefined ? {} : { payer: `233${payer.slice(1)}` }),
  };
}

type Asked = Pick<OracleSession, 'id' | 'merchant' | 'goodsMinor' | 'amountMinor' | 'msisdn'>;

function fits(
  { isUsed, merchant, goodsMinor, eitherMinor, totalMinor, payer }: Consent,
  asked: Asked,
): boolean {
  return (
    !isUsed &&
    (merchant ?? asked.merchant) === asked.merchant &&
    (goodsMinor ?? asked.goodsMinor) === asked.goodsMinor &&
    (totalMinor ?? asked.amountMinor) === asked.amountMinor &&
    (payer ?? asked.msisdn) === asked.msisdn &&
    (eitherMinor === undefined || eitherMinor === asked.goodsMinor || eitherMinor === asked.amountMinor)
  );
}

/** How much of it the screen named. */
const named = (consent: Consent) => Object.values(consent).length;

/**
 * Takes the yes that a prompt belongs to: merchant, payer, goods, and the total where the screen named one. Of several
 * the one that says the most: what says less may be the yes to another prompt.
 */
export function takeConsent(
  asked: Asked,
  payers: readonly Pick<Payer, 'consents'>[],
  violate: (rule: string, what: string) => void,
): void {
  const fitting = payers.flatMap(({ consents }) => consents).filter((one) => fits(one, asked));
  const [consent] = fitting.sort((a, b) => named(b) - named(a));
  if (consent) consent.isUsed = true;
  else
    violate(
      'I1',
      `nobody agreed to ${asked.id}: ${asked.goodsMinor} pesewas, ${asked.amountMinor} with the fee, of ${asked.msisdn.slice(-3)} for ${asked.merchant}`,
    );
}
