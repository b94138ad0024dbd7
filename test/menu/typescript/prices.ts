/** Prices in the form of a shop's own tables. */
export const prices = { child: 1_000, adult: '25' };
