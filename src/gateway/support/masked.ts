import type { EpochMs } from '../../shared/clock.ts';
import { maskNumbers } from '../../shared/msisdn.ts';
import type { Person } from '../access/permissions.ts';
import { maskStoredAnswers, toAnswers } from '../collection/answers.ts';
import type { ActionRow } from './action-query.ts';

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
function isDetailField(key: string, row: object): boolean {
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

/** Until when a person sees the whole numbers of a payment, in the session that revealed them; 0 for one who revealed none. */
export function revealedUntil({ name, session }: Person, actions: readonly ActionRow[]): EpochMs {
  const own = actions.filter(
    ({ action, actor, result }) => action === 'reveal' && actor === name && result === 'done',
  );
  const ends = own.map(({ detail }): EpochMs => {
    const revealed: { session: string | null; until: EpochMs } = JSON.parse(detail);
    return revealed.session === session.id ? revealed.until : 0;
  });
  return Math.max(0, ...ends);
}

/**
 * Returns plain data of the ledger as a person reads it: without idempotency keys, bodies and states of menus, and with masked numbers in
 * all texts, also in the data of facts and the details of actions, which are JSON.
 *
 * @param numbers `whole` leaves the numbers as they are.
 */
export function viewForPerson(value: unknown, numbers: 'masked' | 'whole'): unknown {
  return view(value, { numbers, isRow: true });
}

/** `isRow`: columns of JSON are read. What people and other systems wrote is in its texts, which are no JSON, whatever they look like. */
type View = { numbers: 'masked' | 'whole'; isRow: boolean };

function view(value: unknown, how: View): unknown {
  if (typeof value === 'string') return how.numbers === 'whole' ? value : maskNumbers(value);
  if (Array.isArray(value)) return value.map((one) => view(one, how));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).flatMap(([key, field]) =>
    isDetailField(key, value) ? [] : [[key, viewField(key, field, how)] as const],
  );
  return Object.fromEntries(entries);
}

function viewField(key: string, field: unknown, how: View): unknown {
  if (!how.isRow || how.numbers === 'whole' || typeof field !== 'string') return view(field, how);
  if (key === 'answers') return maskStoredAnswers({ answers: field });
  return key === 'data' || key === 'detail' ? maskJson(field) : maskNumbers(field);
}

function maskJson(text: string): string {
  try {
    return JSON.stringify(view(JSON.parse(text), { numbers: 'masked', isRow: false }));
  } catch {
    return maskNumbers(text);
  }
}
