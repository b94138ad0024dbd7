import type { Clock, EpochMs } from '../../shared/clock.ts';

/** Wrong guesses at a secret, counted by the address that they come from. */
export type Guesses = {
  /** Seconds for which nothing from this address is looked at; `undefined` where it is. */
  shut(address: string): number | undefined;
  wrong(address: string): void;
};

const maxWrong = 10;
const restMs = 60_000;

/** Most addresses that are remembered; whoever was not seen for longest is forgotten first. */
const maxAddresses = 20_000;

/**
 * After ten wrong guesses an address rests for a minute, in which the right one is refused too: else guessing would go
 * on, and only its failures be slow. In memory; other addresses are not concerned.
 */
export function createGuesses(clock: Clock): Guesses {
  const guesses = new Map<string, { wrong: number; at: EpochMs }>();

  function known(address: string) {
    const found = guesses.get(address);
    return found && clock.now() - found.at < restMs ? found : undefined;
  }

  return {
    shut(address) {
      const found = known(address);
      if (!found || found.wrong < maxWrong) return undefined;
      return Math.max(1, Math.ceil((found.at + restMs - clock.now()) / 1000));
    },
    wrong(address) {
      const wrong = (known(address)?.wrong ?? 0) + 1;
      guesses.delete(address);
      guesses.set(address, { wrong, at: clock.now() });
      if (guesses.size > maxAddresses) guesses.delete(guesses.keys().next().value ?? address);
    },
  };
}
