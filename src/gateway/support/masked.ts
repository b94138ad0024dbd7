import type { EpochMs } from '../../shared/clock.ts';
import { maskNumbers } from '../../shared/mask-numbers.ts';
import type { Person } from '../access/actor.ts';
import { maskStoredAnswers } from '../collection/answers.ts';
import type { ActionRow } from './action-query.ts';
import { isDetailField } from './json.ts';

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
