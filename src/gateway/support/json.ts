import { toAnswers } from '../collection/answers.ts';

/** Fields whose numbers are times. Every other number is an amount, a count or a duration. */
const timeField = /^(at|now|until)$|(At|NotBefore|Deadline|Until)$/;

/** Keys, request bodies and the menu's internal state: left out unless they are asked for. */
const detailFields: ReadonlySet<string> = new Set([
  'createKey',
  'createBody',
  'initiateKey',
  'body',
  'state:turn',
]);

export type JsonOptions = {
  /** Includes idempotency keys, the bodies of requests and events, and the menu's state after each turn. */
  full?: boolean | undefined;
};

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/**
 * Returns a value of the ledger as it is printed as JSON: times are RFC 3339 in UTC, and the data of a fact is an object.
 *
 * @param value plain data: rows, pages and reports.
 */
export function ledgerJson(value: unknown, { full = false }: JsonOptions = {}): Json {
  if (Array.isArray(value)) return value.map((one) => ledgerJson(one, { full }));
  if (typeof value !== 'object' || value === null) return scalar(value);
  const entries = Object.entries(value).flatMap(([key, field]) => {
    if (!full && isDetailField(key, value)) return [];
    return [[key, fieldJson(key, field, { full })] as const];
  });
  return Object.fromEntries(entries);
}

/** Returns whether a field of a row is left out unless it is asked for. */
export function isDetailField(key: string, row: object): boolean {
  const isTurnState = key === 'state' && 'screen' in row && 'sequence' in row;
  return detailFields.has(isTurnState ? 'state:turn' : key);
}

function fieldJson(key: string, field: unknown, options: JsonOptions): Json {
  if (typeof field === 'number' && timeField.test(key)) {
    // A lease that no worker holds has the time 0.
    return field === 0 ? null : new Date(field).toISOString();
  }
  // Whole numbers, as in the other fields.
  if (key === 'answers' && (field === null || typeof field === 'string')) {
    return ledgerJson(toAnswers({ answers: field }, 'whole'), options);
  }
  const isFactData = key === 'data' && typeof field === 'string';
  return ledgerJson(isFactData ? JSON.parse(field) : field, options);
}

function scalar(value: unknown): Json {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
}
