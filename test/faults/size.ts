/*
 * The fault tests have a short form, for `npm test`, and a long one, for `npm run test:faults`. FAULT_ROUNDS sets
 * the number of random kills.
 */
export const isLong = process.env.FAULTS === 'long';

export const killRounds = Number(process.env.FAULT_ROUNDS ?? (isLong ? 500 : 3));

/** The time limit of one test of the long form. The short form uses the default. */
export const limits = isLong ? { timeout: 60 * 60_000 + killRounds * 5_000 } : {};
