/* No library: writers quote fields, and the work here is that no spreadsheet reads one as a formula, a number or a date. */

import type { AnswerView } from '../../../contract/merchant/notification.ts';
import { once } from '../../../shared/once.ts';
import { describeAnswer } from '../../collection/answers.ts';

/** The time by which an export selects: when a collection was opened, or when money was booked. */
export const exportTimes = ['opened', 'booked'] as const;
export type ExportTime = (typeof exportTimes)[number];

// cspell:disable -- words of many languages
/** Logical values in the languages of spreadsheets, in the form of `plainForm`. */
const logicalValues = new Set(
  `true false vrai faux wahr falsch verdadero verdadeiro falso vero waar onwaar sant falskt sand falsk sann usann tosi epatosi
  prawda fałsz pravda nepravda igaz hamis dogru yanlis benar salah adevarat fals истина ложь`.split(/\s+/),
);
// cspell:enable

/** Currencies that a payer may write in front of an amount. Symbols of currencies need no list. */
const currencies =
  'gh[¢₵c] ghs cedis? usd eur gbp ngn xof xaf f?cfa zar kes chf cny jpy cad aud inr rs kr'.split(' ');

/** Matches a month, a weekday or a currency in front of a digit: spreadsheets read a date or an amount. */
const namedNumber = once(() => {
  const months = 'en fr de es pt it nl sv da nb fi pl cs tr ru id ro hu sw'.split(' ');
  const listNames = (language: string, part: 'month' | 'weekday') =>
    (['long', 'short'] as const).flatMap((width) => {
      const format = new Intl.DateTimeFormat(language, { [part]: width, timeZone: 'UTC' });
      // The first days of all months of a year are on every weekday.
      return Array.from({ length: 12 }, (_, i) => format.format(Date.UTC(2026, i)));
    });
  const names = [
    ...months.flatMap((language) => listNames(language, 'month')),
    ...listNames('en', 'weekday'),
  ];
  // Without the dot of an abbreviation, and without names that are numbers.
  const words = names.map((name) => plainForm(name).replace(/\P{L}.*/u, '')).filter((word) => word !== '');
  const either = [...new Set([...words, ...currencies])].join('|');
  return new RegExp(`^(?:(?:${either})[\\s\\p{P}\\p{S}]*)+\\p{Nd}`, 'u');
});

/** Returns a text without case, accents, widths of characters, invisible characters and surrounding blanks. */
function plainForm(text: string): string {
  const marks = /[\p{M}\p{Cc}\p{Cf}]/gu;
  return text.normalize('NFKD').replace(marks, '').trim().toLowerCase();
}

/**
 * True when a spreadsheet would convert a text: into a formula (`=`, `+`, `-`, `@`), into a number (which loses leading zeros,
 * and digits where it is saved in the scientific notation of more than eleven), or into a date, an amount, an error or a logical value. Blanks and full-width characters
 * change nothing about it.
 */
function isConverted(text: string): boolean {
  const plain = plainForm(text);
  if (/^['\0\t\r\n]/.test(text) || /^[=+\-−@#]/.test(plain) || logicalValues.has(plain)) return true;
  if (/^[\s\p{P}\p{S}]*\p{Nd}/u.test(plain)) return !/^(0|[1-9]\d{0,10})$/.test(text);
  return /\p{Nd}/u.test(plain) && namedNumber().test(plain);
}

/** The text after a list separator of another country, or after a line break. */
const laterPart = /(?<=[;\t\r\n])[^;\t\r\n]+/g;

/**
 * Returns a text whose parts are no formulas where a spreadsheet separates cells by `;` or a tab. There the quotes of a cell of this
 * file protect nothing: they do not stand at the start of a cell.
 */
function withInertParts(text: string): string {
  return text.replace(laterPart, (part) =>
    part.startsWith("'") || /^["\s]*[=+\-−@]/.test(plainForm(part)) ? `'${part}` : part,
  );
}

/**
 * Formats a text as a quoted cell (RFC 4180). A text that a spreadsheet would convert gets a single quote in front (ASVS
 * 5.0, 1.2.10), and so does a formula after `;`, a tab or a line break. So does each of them that starts with a single quote: without
 * the first one of each, the cell is the original text.
 */
export function textCell(text: string): string {
  const inert = withInertParts(text);
  return cell(isConverted(text) ? `'${inert}` : inert);
}

/** Formats answers as two cells: for people, and for programs as a JSON object of values by name. Both are empty without answers. */
export function answerCells(answers: readonly AnswerView[]): [people: string, programs: string] {
  if (answers.length === 0) return [plainCell(''), plainCell('')];
  const values = Object.fromEntries(answers.map(({ name, value }) => [name, value]));
  // Only texts contain it, and the escaped form is the same JSON.
  const json = JSON.stringify(values).replaceAll(';', '\\u003b');
  return [textCell(answers.map(describeAnswer).join('; ')), textCell(json)];
}

/** The names of the columns of answers. */
export const answerColumns = ['answers', 'answers_json'] as const;

/** Formats a number or time of the gateway, which cannot be a formula. */
export function plainCell(value: number | string): string {
  return cell(String(value));
}

/** Formats pesewas as cedis without rounding: `20.20`, `-20.20`. An empty cell without an amount. */
export function cedisCell(minor: number | null): string {
  if (minor === null) return plainCell('');
  const digits = String(Math.abs(minor)).padStart(3, '0');
  return plainCell(`${minor < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`);
}

function cell(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

/** Joins the cells of one record, with the line break of RFC 4180. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.join(',')}\r\n`;
}
