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
 * Returns plain data of the ledger as a person reads it: without idempotency keys, bodies and states of menus, and with masked numbers in all
 * texts, also in those that are JSON.
 *
 * @param numbers `whole` leaves the numbers as they are.
 */
export function viewForPerson(value: unknown, numbers: 'masked' | 'whole'): unknown {
  if (typeof value === 'string') return numbers === 'whole' ? value : maskText(value);
  if (Array.isArray(value)) return value.map((one) => viewForPerson(one, numbers));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).flatMap(([key, field]) => {
    if (isDetailField(key, value)) return [];
    if (key === 'answers' && typeof field === 'string' && numbers === 'masked')
      return [[key, maskStoredAnswers({ answers: field })] as const];
    return [[key, viewForPerson(field, numbers)] as const];
  });
  return Object.fromEntries(entries);
}

/** The data of facts and the details of actions are JSON, in which a masked text must not break a value. */
function maskText(text: string): string {
  if (!/^[[{]/.test(text)) return maskNumbers(text);
  try {
    return JSON.stringify(viewForPerson(JSON.parse(text), 'masked'));
  } catch {
    return maskNumbers(text);
  }
}
