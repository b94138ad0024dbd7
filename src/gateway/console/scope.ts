import type { EpochMs } from '../../shared/clock.ts';
import { createLruMap, SlidingWindow } from '../../shared/limits/per-key.ts';
import { type Msisdn, maskedNumber, maskedText } from '../../shared/msisdn.ts';
import { type Actor, can, findMerchant, type Person } from '../access/permissions.ts';
import { recordAccountAction } from '../accounts/account-action.ts';
import type { AccountDeps } from '../accounts/session.ts';
import type { ShownNumbers } from '../collection/answers.ts';
import { ReadFault } from '../reading/reads.ts';
import type { CollectionRecord } from '../support/collection-query.ts';
import { revealedUntil } from '../support/masked.ts';
import type { Scope } from '../support/page.ts';
import { searchedDigits } from '../support/search-term.ts';
import { spacedNumber } from './parts/format.ts';
import type { ConsoleReader, ConsoleReads } from './reads.ts';

/** Returns whose payments, endpoints and keys an actor may see, and how a search finds numbers. */
export function getScope(actor: Actor): Scope {
  const merchantId = findMerchant(actor);
  return { merchantId, lastFour: !can(actor, 'numbers.reveal') };
}

/** The form of phone numbers on a page: in fields, and in texts that can contain them, such as screens and references. */
export type NumberView = {
  phone(msisdn: Msisdn): string;
  text(text: string): string;
  /** For `toAnswers`. */
  shown: ShownNumbers;
  /** Until when the numbers are whole; undefined for masked ones. */
  until?: EpochMs;
};

export const maskedNumbers: NumberView = { phone: maskedNumber, text: maskedText, shown: 'masked' };

/** For a person who has revealed the numbers of a payment. */
const wholeNumbers: NumberView = { phone: spacedNumber, text: (text) => text, shown: 'whole' };

/** Returns how a person sees the numbers of a payment: whole, for some minutes, in the session that revealed them. */
export function numbersFor(person: Person, { actions }: CollectionRecord, now: EpochMs): NumberView {
  if (!can(person, 'numbers.reveal')) return maskedNumbers;
  const until = revealedUntil(person, actions);
  return until > now ? { ...wholeNumbers, until } : maskedNumbers;
}

/** Digit searches per hour of a person without whole numbers: beyond `quiet` recorded, beyond `max` refused. Repeats do not count. */
export const digitSearchLimits = { quiet: 20, max: 60 } as const;

const hour = { windowMs: 3_600_000, maxKeys: 10_000 } as const;

/**
 * Returns the reader with a bound for what people who may not see whole numbers can find out about them by trying.
 *
 * @throws ReadFault `digits` for a search beyond the bound.
 */
export function limitDigitSearches(
  reader: ConsoleReader,
  deps: Pick<AccountDeps, 'accounts' | 'clock' | 'livemode'>,
): ConsoleReader {
  const { accounts, clock } = deps;
  const quiet = new SlidingWindow({ ...hour, limit: digitSearchLimits.quiet });
  const allowed = new SlidingWindow({ ...hour, limit: digitSearchLimits.max });
  const recorded = new SlidingWindow({ ...hour, limit: 1 });
  const lastDigits = createLruMap<string>(hour.maxKeys);

  async function record(name: string, isRefused: boolean): Promise<void> {
    const key = `${isRefused} ${name}`;
    const now = clock.now();
    if (!recorded.allows(key, now)) return;
    recorded.record(key, now);
    const account = await accounts.findByName(name);
    if (!account) return;
    const detail = { hourly: isRefused ? digitSearchLimits.max : digitSearchLimits.quiet };
    const result = isRefused ? ({ result: 'refused' } as const) : {};
    await recordAccountAction(deps, { actor: name, action: 'search_digits', ...result, account, detail });
  }

  async function count(name: string, { lastFour }: Pick<Scope, 'lastFour'>, term = ''): Promise<void> {
    const digits = searchedDigits(term);
    if (!lastFour || digits === '' || lastDigits.get(name) === digits) return;
    const now = clock.now();
    const isRefused = !allowed.allows(name, now);
    const isNoted = isRefused || !quiet.allows(name, now);
    // Before the first wait, so that searches at the same time count each other.
    if (!isRefused) {
      for (const window of [quiet, allowed]) window.record(name, now);
      lastDigits.set(name, digits);
    }
    if (isNoted) await record(name, isRefused);
    if (isRefused) throw new ReadFault('digits', 'too many searches for digits within an hour');
  }

  return {
    close: reader.close,
    by(owner): ConsoleReads {
      const reads = reader.by(owner);
      const counted = (scope: Pick<Scope, 'lastFour'>, term: string | undefined) =>
        count(owner.name, scope, term);
      return {
        ...reads,
        async list(scope, filter, page) {
          await counted(scope, filter.last4);
          return reads.list(scope, filter, page);
        },
        async search(scope, term, page) {
          await counted(scope, term);
          return reads.search(scope, term, page);
        },
        async unplaced(request) {
          await counted(request, request.term);
          return reads.unplaced(request);
        },
        async measureExport(scope, exported) {
          await counted(scope, 'term' in exported ? exported.term : exported.filter.last4);
          return reads.measureExport(scope, exported);
        },
      };
    },
  };
}
