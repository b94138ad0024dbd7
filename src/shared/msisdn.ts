import { createRequire } from 'node:module';
import type * as Libphonenumber from 'libphonenumber-js';
import { normalizeTyped, quotes } from './typed-text.ts';

/** A Ghanaian mobile number as 12 digits, `233XXXXXXXXX`. Numbers are stored and sent in this form only. */
export type Msisdn = string & { readonly __brand: 'Msisdn' };

const ghanaMobile = /^233[25]\d{8}$/;

/** The spellings of nearly every request: `0244123456`, and `233244123456` with or without a plus. */
const commonSpelling = /^(?:\+?233|0)([25]\d{8})$/;

let libphonenumber: typeof Libphonenumber | undefined;

/** Loads the library at the first unusual spelling: its 112 files take a third of the start-up time of a short command. */
function loadLibphonenumber(): typeof Libphonenumber {
  libphonenumber ??= createRequire(import.meta.url)('libphonenumber-js') as typeof Libphonenumber;
  return libphonenumber;
}

/** A longer text is no number. Its invisible characters count too. */
const maxSpelling = 64;
/** The characters of an unusual spelling. */
const spelled = /^[\d\s+().,/\\_[\]-]+$/;

/**
 * Parses a mobile number in any usual spelling: `024…`, `+233…`, `00233…`. Blanks, dashes, slashes and brackets of any kind are
 * allowed, and so are digits of any script.
 *
 * libphonenumber only normalises. The pattern decides which numbers are mobile, because the library's strict
 * metadata rejects new number blocks and its loose metadata accepts landlines.
 *
 * @returns the number; `undefined` when the text is no Ghanaian mobile number.
 */
export function parseMsisdn(raw: string): Msisdn | undefined {
  const [, subscriber] = commonSpelling.exec(raw.trim()) ?? [];
  if (subscriber !== undefined) return `233${subscriber}` as Msisdn;
  if (raw.length > maxSpelling) return undefined;
  const text = normalizeTyped(raw);
  if (!spelled.test(text)) return undefined;
  const digits = text.replace(/\D/g, '');
  const dialled = text.includes('+') ? `+${digits}` : digits;
  const parsed = loadLibphonenumber().parsePhoneNumberFromString(dialled, 'GH');
  if (parsed?.countryCallingCode !== '233') return undefined;
  const msisdn = parsed.number.slice(1);
  return ghanaMobile.test(msisdn) ? (msisdn as Msisdn) : undefined;
}

/** Returns whether a text is a phone number of any country and kind, such as a landline. */
export function isPhoneNumber(raw: string): boolean {
  const text = raw.length > maxSpelling ? '' : normalizeTyped(raw);
  return spelled.test(text) && /^\d{7,15}$/.test(text.replace(/\D/g, ''));
}

/** The characters that may stand beside a number in a sentence. A number that touches another one is a part of a reference. */
const beforeNumber = new RegExp(`(?:^|[\\s:;,=([<]|${quotes})$`);
const afterNumber = new RegExp(`^(?:$|[\\s:;,.!?)\\]>]|${quotes})`);

/** Returns the only mobile number in a sentence, such as `Customer 024 412 3456 called`; `undefined` without one, and with several. */
export function findMsisdn(sentence: string): Msisdn | undefined {
  const text = normalizeTyped(sentence);
  const found = [...text.matchAll(number)].flatMap(({ 0: spelling, index }) => {
    const isApart =
      beforeNumber.test(text.slice(Math.max(0, index - 1), index)) &&
      afterNumber.test(text.slice(index + spelling.length, index + spelling.length + 1));
    return isApart ? (parseMsisdn(spelling) ?? []) : [];
  });
  const [only, ...others] = new Set(found);
  return others.length === 0 ? only : undefined;
}

/** Formats a number in the local form, `0244123456`. */
export function localForm(msisdn: Msisdn): string {
  return `0${msisdn.slice(3)}`;
}

/** The mobile operators of Ghana. `unknown` stands for a name or prefix that is not listed. */
export const operators = ['mtn', 'telecel', 'at', 'glo', 'unknown'] as const;
export type Operator = (typeof operators)[number];

/** Returns a record with a value for each operator. */
export function perOperator<T>(compute: (operator: Operator) => T): Record<Operator, T> {
  return Object.fromEntries(operators.map((operator) => [operator, compute(operator)])) as Record<
    Operator,
    T
  >;
}

const prefixes = new Map<string, Operator>(
  Object.entries({ mtn: '24 25 53 54 55 59', telecel: '20 50', at: '26 27 56 57', glo: '23' }).flatMap(
    ([operator, list]) => list.split(' ').map((prefix) => [prefix, operator as Operator] as const),
  ),
);

/** Returns the operator that issued the number. The current operator may differ: numbers have been portable since 2011. */
export function operatorByPrefix(msisdn: Msisdn): Operator {
  return prefixes.get(msisdn.slice(3, 5)) ?? 'unknown';
}

/** Names of the operators, old ones included, and their codes as MCC and MNC. */
const spellings = new Map<string, Operator>(
  Object.entries({
    mtn: ['mtn', '62001'],
    telecel: ['telecel', 'telecell', 'vodafone', 'vodaphone', 'voda', 'vod', '62002'],
    at: ['at', 'airteltigo', 'airtel', 'tigo', 'air', 'tig', '62003', '62006'],
    glo: ['glo', 'globacom', '62007'],
  } as const).flatMap(([operator, names]) => names.map((name) => [name, operator as Operator] as const)),
);

/** Words that are removed from the end of an operator's name: `MTN Ghana`, `TelecelCash`, `vodafone-gh-ussd`. */
const besideName =
  /(?:ghana|gha?|ussd|momo|money|cash|wallet|mobile|network|telecom|gateway|gw|prepaid|postpaid|limited|ltd|plc|formerly|former|ex|gsm|lte|[2-5]g)+$/;
/** The country is removed from the front, too: `ghmtn`. */
const countryInFront = /^gh(?:ana)?/;

/** Longer names are cut. No network has so long a name. */
const maxNameLength = 64;

/** An MCC with its MNC of two or three digits: `620-01`, `620001`, `mcc=620;mnc=01`. */
const countryAndNetwork = /(?<![a-z0-9])(?:mcc[^a-z0-9]*)?620[^a-z0-9]*(?:mnc[^a-z0-9]*)?0?(\d\d)(?!\d)/g;

/**
 * Returns the operator of a name in any spelling of the aggregators (`Vodafone Ghana`, `MTN_GH`, `Airtel Tigo`), or of an MCC with
 * its MNC (`62001`). The same for all aggregators; short codes such as `01` differ between them.
 *
 * @returns `unknown` for any other name, and for names of two operators.
 */
export function operatorByName(name: string | undefined): Operator {
  const words = (name ?? '')
    .slice(0, maxNameLength)
    .normalize('NFKC')
    .toLowerCase()
    .replace(countryAndNetwork, '620$1')
    .split(/[^a-z0-9]+/)
    .map((word) => word.replace(besideName, '').replace(countryInFront, ''))
    .filter((word) => word !== '');
  const [operator = 'unknown', ...others] = new Set(words.map((word) => spellings.get(word) ?? 'unknown'));
  return others.length === 0 ? operator : 'unknown';
}

/** Masks the middle digits of a number. */
export function maskedForm(msisdn: Msisdn): string {
  return `${msisdn.slice(0, 5)}****${msisdn.slice(-3)}`;
}

/** The operators as screens and pages name them. */
export const operatorTitles: Readonly<Record<Operator, string>> = {
  mtn: 'MTN',
  telecel: 'Telecel',
  at: 'AT',
  glo: 'Glo',
  unknown: 'another operator',
};

/** Returns the name of a network by its code. */
export function nameNetwork(code: string): string {
  const operator = operators.find((one) => one === code && one !== 'unknown');
  return operator === undefined ? code : operatorTitles[operator];
}

/**
 * The characters that may separate two digits of a number: all but letters, digits and line breaks. In ranges, because the classes of
 * Unicode take a second to compile.
 */
const letters = String.raw`A-Za-z0-9\n\xc0-\xd6\xd8-\xf6\xf8-\u02c1\u0370-\u1fff\u2c00-\u2fff\u3040-\udfff\uf900-\ufdff`;
const between = String.raw`(?:[^${letters}]|[\ud800-\udbff][\udc00-\udfff]){0,3}`;
const prefix = `(?:\\+${between})?(?:0${between}0${between})?(?:2${between}3${between}3(?:${between}0)?|0)`;
const subscriber = `${between}[25](?:${between}\\d){8}`;

/**
 * A mobile number in a text: with or without +, 00, `(0)`, and up to three blanks or signs between digits. A number without a
 * prefix is found only in its usual groups of digits, because other texts have nine digits, too.
 */
const number = new RegExp(
  `(?:(?<!\\d)${prefix}${subscriber}|(?<![\\d+])(?:[25]\\d[ .-]?\\d{3}[ .-]?\\d{4}|[25]\\d{2}[ .-]\\d{3}[ .-]\\d{3}))(?!\\d|\\*{4})`,
  'g',
);

/** A character as the raw text of JSON, of a program, of a URL or of a page writes it: `\u2116`, `\xa0`, `%20`, `&#8470;`. */
const escapedCharacter =
  /\\u([\da-f]{4})|(?:\\x|%(?:25)*)([\da-f]{2})|&(?:amp;)*#x([\da-f]{1,6});|&(?:amp;)*#(\d{1,7});/i;
const characterOrEscape = new RegExp(`${escapedCharacter.source}|[^]`, 'gi');

/**
 * Masks every mobile number of Ghana in a text, such as a screen or an input. Escaped characters, such as `\u0032` or `%20`, are
 * decoded first, so that they hide no number.
 *
 * @param mask the masked form. None of its results is a number.
 */
export function maskNumbers(text: string, mask = maskedForm): string {
  const maskOne = (found: string) => mask(`233${found.replaceAll(/\D/g, '').slice(-9)}` as Msisdn);
  return (escapedCharacter.test(text) ? maskEscaped(text, maskOne) : text).replace(number, maskOne);
}

function maskEscaped(text: string, maskOne: (found: string) => string): string {
  const characters = [...text.matchAll(characterOrEscape)];
  const placeOf = (at: number) => characters[at]?.index ?? text.length;
  let masked = '';
  let end = 0;
  for (const { 0: found, index } of characters.map(readCharacter).join('').matchAll(number)) {
    masked += text.slice(end, placeOf(index)) + maskOne(found);
    end = placeOf(index + found.length);
  }
  return masked + text.slice(end);
}

/** Decodes one escape to its character. A byte of a URL above 0x7f is a part of a longer character, and becomes a blank. */
function readCharacter([text, unit, byte, hex, decimal]: RegExpExecArray): string {
  if (byte !== undefined && Number.parseInt(byte, 16) > 0x7f) return ' ';
  const code = unit ?? byte ?? hex;
  if (code === undefined && decimal === undefined) return text;
  return String.fromCharCode(code === undefined ? Number(decimal) : Number.parseInt(code, 16));
}

const noBreak = '\u00a0';

/** Formats a number as pages show it to a person: `024 ••• 3456`. */
export function maskedNumber(msisdn: Msisdn): string {
  const local = localForm(msisdn);
  return `${local.slice(0, 3)}${noBreak}•••${noBreak}${local.slice(-4)}`;
}

/** Masks the numbers in a text as `maskedNumber` does. One that was masked when it was stored lacks a digit: `024 •••• 456`. */
export function maskedText(text: string): string {
  return maskNumbers(text, maskedNumber).replaceAll(
    /\b233(\d\d)\*{4}(\d{3})\b/g,
    `0$1${noBreak}••••${noBreak}$2`,
  );
}
