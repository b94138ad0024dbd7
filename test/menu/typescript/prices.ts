/** As a shop's own tables may have them. */
export const prices = { child: 1_000, adult: '25' };
