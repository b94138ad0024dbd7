import type { EpochMs } from '../shared/clock.ts';
import { unreachable } from '../shared/errors.ts';
import type { Entry, UssdRequest } from './turn.ts';

/** What of the last turn decides where a request belongs. */
export type LastTurn = {
  input: string | null;
  position: string | null;
  reply: 'continue' | 'end';
  at: EpochMs;
};

/**
 * Where a request belongs in its session's history.
 *
 * - `begin`: a new dialogue, with answers dialled along.
 * - `advance`: the next input of the live dialogue.
 * - `repeat`: seen before; the last turn answers, or the earlier one that had this cumulative text (`position`).
 * - `lost`: an input without a dialogue to belong to.
 */
export type Place =
  | { kind: 'begin'; suffix: readonly string[] }
  | { kind: 'advance'; input: string }
  | { kind: 'repeat'; position?: string }
  | { kind: 'lost' };

export type PlaceSettings = { dialogueLifeMs: number; repeatWindowMs: number; sequenced: boolean };

/** Answers that a payer can dial along with the code; more is no code but an attack. */
const longestSuffix = 10;

/**
 * Tells a repeat from a step. A cumulative text says by itself what was seen before. Where only the last input
 * arrives, the same input within the repeat window is a repeat: nobody reads a screen and types that fast.
 */
export function place(
  request: Pick<UssdRequest, 'session' | 'dialler' | 'entry'>,
  last: LastTurn | undefined,
  now: EpochMs,
  settings: PlaceSettings,
): Place {
  const { entry } = request;
  if (!last) return first(entry);
  // A clock that was set back between two processes says nothing about how old a turn is: not just now.
  const age = Math.abs(now - last.at);
  const over = last.reply === 'end';
  const known = age <= settings.dialogueLifeMs;
  const justNow = age <= settings.repeatWindowMs;
  switch (entry.kind) {
    case 'dialled': {
      // Without a session id the number is the session: a redial is then a new dialogue and not a repeat.
      const sameSession = request.session !== request.dialler;
      const repeated = justNow || (sameSession && known && !over);
      return repeated ? { kind: 'repeat' } : first(entry);
    }
    case 'typed': {
      if (!known) return { kind: 'lost' };
      const repeated = over || (!settings.sequenced && justNow && entry.input === last.input);
      return repeated ? { kind: 'repeat' } : { kind: 'advance', input: entry.input };
    }
    case 'cumulative': {
      if (!known) return entry.text === '' ? first(entry) : { kind: 'lost' };
      const seen = last.position ?? '';
      const prefix = seen === '' ? '' : `${seen}*`;
      const extended = entry.text !== seen && entry.text.startsWith(prefix);
      if (extended && !over) return { kind: 'advance', input: entry.text.slice(prefix.length) };
      return extended || entry.text === seen ? { kind: 'repeat' } : { kind: 'repeat', position: entry.text };
    }
    default:
      return unreachable(entry);
  }
}

function first(entry: Entry): Place {
  switch (entry.kind) {
    case 'dialled':
      return { kind: 'begin', suffix: entry.suffix.slice(0, longestSuffix) };
    case 'cumulative':
      return {
        kind: 'begin',
        suffix: entry.text === '' ? [] : entry.text.split('*').slice(0, longestSuffix),
      };
    case 'typed':
      return { kind: 'lost' };
    default:
      return unreachable(entry);
  }
}
