import type { EpochMs } from '../../shared/clock.ts';
import { localForm, type Msisdn, maskedForm, maskNumbers } from '../../shared/msisdn.ts';
import { type Actor, findMerchant, type Person } from '../access/actor.ts';
import { can } from '../access/permissions.ts';
import type { ShownNumbers } from '../collection/answers.ts';
import type { CollectionRecord } from '../support/collection-query.ts';
import { revealedUntil } from '../support/masked.ts';
import type { Scope } from '../support/scope.ts';

/** Returns whose payments, endpoints and keys an actor may see, and how a search finds numbers. */
export function getScope(actor: Actor): Scope {
  const merchantId = findMerchant(actor);
  return { merchantId, lastFour: !can(actor, 'numbers.reveal') };
}

/** How a page shows phone numbers: in fields, and in texts that can contain them, such as screens and references. */
export type NumberView = {
  phone(msisdn: Msisdn): string;
  text(text: string): string;
  /** For `toAnswers`. */
  shown: ShownNumbers;
  /** Until when the numbers are whole; undefined for masked ones. */
  until?: EpochMs;
};

export const maskedNumbers: NumberView = { phone: maskedForm, text: maskNumbers, shown: 'masked' };

/** For a person who has revealed the numbers of a payment. */
const wholeNumbers: NumberView = { phone: localForm, text: (text) => text, shown: 'whole' };

/** Returns how a person sees the numbers of a payment: whole, for some minutes, in the session that revealed them. */
export function numbersFor(person: Person, { actions }: CollectionRecord, now: EpochMs): NumberView {
  if (!can(person, 'numbers.reveal')) return maskedNumbers;
  const until = revealedUntil(person, actions);
  return until > now ? { ...wholeNumbers, until } : maskedNumbers;
}
