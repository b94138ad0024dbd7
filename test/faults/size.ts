/*
 * How much of each test runs: the short form in `npm test`, the long one in `npm run test:faults`, whose rounds of
 * random kills can be set by FAULT_ROUNDS.
 */
export const long = process.env.FAULTS === 'long';

export const killRounds = Number(process.env.FAULT_ROUNDS ?? (long ? 500 : 3));

/** For one test, on a machine that has more to do: many times what it takes. */
export const longest = { timeout: (long ? 60 : 1) * 60_000 + killRounds * 5_000 };
