/** An amount in pesewas, a safe integer. One cedi is 100 pesewas. */
export type AmountMinor = number & { readonly __brand: 'AmountMinor' };

/** GHS 1,000,000, which is above every wallet limit. */
export const maxAmountMinor = 100_000_000 as AmountMinor;

/** Returns the number as an amount in pesewas. @throws RangeError unless it is an integer from 0 to `maxAmountMinor`. */
export function amountMinor(value: number): AmountMinor {
  if (!Number.isSafeInteger(value) || value < 0 || value > maxAmountMinor) {
    throw new RangeError(`expected an amount in pesewas, found ${value}`);
  }
  return value as AmountMinor;
}

/** The spellings of the cedi. No dot may follow: `GH.20` could mean 20 or 0.20. */
const currency = '(?:ghs|ghc|gh[¢₵]?|[¢₵]|(?:ghana\\s*)?cedis?)';
const currencyBefore = new RegExp(`^${currency}\\s*`, 'i');
const currencyAfter = new RegExp(`\\s*${currency}$`, 'i');

/**
 * Parses an amount in cedis as a payer types it: `20`, `20.5`, `20.50`, `1,000.00`, `GHS 20`, `20 cedis`. Uses no floating point.
 *
 * @returns the amount in pesewas; `undefined` for any other text, for an ambiguous one (`20,50`, `1.000`, `2 0`), and above
 *   `maxAmountMinor`.
 */
export function parseCedis(raw: string): AmountMinor | undefined {
  const text = raw
    .trim()
    .replace(currencyBefore, '')
    .replace(currencyAfter, '')
    .replace(
      /^(\d{1,3})((?:,\d{3})+)(?=\.|$)/,
      (_, head: string, rest: string) => head + rest.replaceAll(',', ''),
    );
  const match = /^(\d{1,7})(?:\.(\d{1,2}))?$/.exec(text);
  if (!match) return undefined;
  const minor = Number(match[1]) * 100 + Number((match[2] ?? '').padEnd(2, '0'));
  return minor <= maxAmountMinor ? (minor as AmountMinor) : undefined;
}

/** An ending of the number or of the whole amount: a full stop, or `/-` or `/=`, which stand for no pesewas. */
const endSign = /(?<=\d)\s*(?:\.|\/\s*[-=])(?=\s*(?:\p{L}|$))|(?<=\p{L})\.$/u;

/** Parses an amount as `parseCedis` does, also with the endings of price tags and letters: `20.`, `20/-`, `20/=`. */
export function parseTypedCedis(raw: string): AmountMinor | undefined {
  return parseCedis(raw.trim().replace(endSign, ''));
}

/** Formats an amount in pesewas as `GHS 1234.50`. Every handset can display these characters. */
export function formatCedis(amount: number): string {
  const sign = amount < 0 ? '-' : '';
  const pesewas = Math.abs(amount);
  return `${sign}GHS ${Math.trunc(pesewas / 100)}.${String(pesewas % 100).padStart(2, '0')}`;
}

const small = [
  ...['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven'],
  ...['twelve', 'thirteen', 'fourteen', 'fifteen', 'sixteen', 'seventeen', 'eighteen', 'nineteen'],
];
const tens = ['', '', 'twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety'];

/** Returns a number up to a million, the largest amount, in words. */
function words(n: number): string {
  if (n < 20) return small[n] ?? '';
  if (n < 100) return `${tens[Math.trunc(n / 10)]}${n % 10 ? `-${words(n % 10)}` : ''}`;
  if (n < 1000) return `${words(Math.trunc(n / 100))} hundred${n % 100 ? ` ${words(n % 100)}` : ''}`;
  if (n < 1_000_000) return `${words(Math.trunc(n / 1000))} thousand${n % 1000 ? ` ${words(n % 1000)}` : ''}`;
  return 'one million';
}

/** Returns an amount in English words, for the confirm screen: `twenty cedis fifty pesewas`. */
export function spellCedis(amount: AmountMinor): string {
  const cedis = Math.trunc(amount / 100);
  const pesewas = amount % 100;
  const parts = [
    cedis > 0 || pesewas === 0 ? `${words(cedis)} ${cedis === 1 ? 'cedi' : 'cedis'}` : '',
    pesewas > 0 ? `${words(pesewas)} ${pesewas === 1 ? 'pesewa' : 'pesewas'}` : '',
  ];
  return parts.filter(Boolean).join(' ');
}
