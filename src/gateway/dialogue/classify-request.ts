import type { EpochMs } from '../../shared/clock.ts';
import { unreachable } from '../../shared/errors.ts';
import type { Entry, UssdRequest } from '../../shared/ussd.ts';

/** What of the last turn decides where a request belongs. */
export type LastTurn = {
  dialler: string;
  /** Not null on a notice that the session is over. */
  ending: string | null;
  input: string | null;
  position: string | null;
  reply: 'continue' | 'end';
  at: EpochMs;
};

/** What is known of a session when a request arrives. */
export type SessionState = {
  last: LastTurn | undefined;
  /** True when the dialogue has an earlier turn than the last at the request's position. */
  seen: boolean;
};

/**
 * Where a request belongs in its session's history.
 *
 * - `begin`: a new dialogue, with answers dialled along.
 * - `advance`: the next input of the live dialogue.
 * - `repeat`: seen before; the `last` turn answers, or the `earlier` one at the same position.
 * - `lost`: an input without a dialogue to belong to.
 */
export type RequestKind =
  | { kind: 'begin'; suffix: readonly string[] }
  | { kind: 'advance'; input: string }
  | { kind: 'repeat'; of: 'last' | 'earlier' }
  | { kind: 'lost' };

export type ClassifySettings = { dialogueLifetimeMs: number; repeatWindowMs: number; sequenced: boolean };

/** Answers that a payer can dial along with the code; more is no code but an attack. */
const maxSuffixLength = 10;

const repeat = { kind: 'repeat', of: 'last' } as const;
const earlier = { kind: 'repeat', of: 'earlier' } as const;

/**
 * The place in its session that a request claims: the cumulative text, or the aggregator's mark. Stored with its turn,
 * it tells a repeat.
 */
export function positionOf({ entry, mark }: Pick<UssdRequest, 'entry' | 'mark'>): string | null {
  return entry.kind === 'cumulative' ? entry.text : (mark ?? null);
}

/**
 * Tells a repeat from a step. A cumulative text or a mark says by itself what was seen before. Where only the last
 * input arrives, the same input within the repeat window is a repeat: nobody reads a screen and types that fast.
 */
export function classifyRequest(
  request: Pick<UssdRequest, 'session' | 'dialler' | 'entry' | 'mark'>,
  { last, seen }: SessionState,
  now: EpochMs,
  settings: ClassifySettings,
): RequestKind {
  const { entry, mark } = request;
  // A session id that comes with another number was used again for somebody else.
  if (!last || last.dialler !== request.dialler) return first(entry);
  // A clock that was set back between two processes says nothing about how old a turn is: not just now.
  const age = Math.abs(now - last.at);
  const over = last.reply === 'end';
  const known = age <= settings.dialogueLifetimeMs;
  const justNow = age <= settings.repeatWindowMs;
  switch (entry.kind) {
    case 'dialled': {
      // Without a session id the number is the session: a redial is then a new dialogue and not a repeat, also when
      // the notice of the one before has just come.
      const sameSession = request.session !== request.dialler;
      if (!sameSession) return justNow && last.ending === null ? repeat : first(entry);
      if (known && mark !== undefined && mark === last.position) return repeat;
      if (known && seen) return earlier;
      return justNow || (known && !over) ? repeat : first(entry);
    }
    case 'typed': {
      if (!known) return { kind: 'lost' };
      if (mark !== undefined && mark === last.position) return repeat;
      if (seen) return earlier;
      const late = settings.sequenced && isBefore(mark, last.position);
      const again = !settings.sequenced && justNow && entry.input === last.input;
      return over || late || again ? repeat : { kind: 'advance', input: entry.input };
    }
    case 'cumulative': {
      if (!known) return entry.text === '' ? first(entry) : { kind: 'lost' };
      const typed = last.position ?? '';
      const prefix = typed === '' ? '' : `${typed}*`;
      const extended = entry.text !== typed && entry.text.startsWith(prefix);
      if (extended && !over) return { kind: 'advance', input: entry.text.slice(prefix.length) };
      return seen && entry.text !== last.position ? earlier : repeat;
    }
    default:
      return unreachable(entry);
  }
}

/** True for two numbers of which the first is smaller: a request that was overtaken by the next one. */
function isBefore(mark: string | undefined, last: string | null): boolean {
  const numbers = [mark, last].map((one) => (/^\d{1,15}$/.test(one ?? '') ? Number(one) : Number.NaN));
  return (numbers[0] ?? Number.NaN) < (numbers[1] ?? Number.NaN);
}

/** Where a request belongs when nothing comes before it. */
function first(entry: Entry): RequestKind {
  switch (entry.kind) {
    case 'dialled':
      return { kind: 'begin', suffix: entry.suffix.slice(0, maxSuffixLength) };
    case 'cumulative':
      return {
        kind: 'begin',
        suffix: entry.text === '' ? [] : entry.text.split('*').slice(0, maxSuffixLength),
      };
    case 'typed':
      return { kind: 'lost' };
    default:
      return unreachable(entry);
  }
}
