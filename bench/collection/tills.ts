/*
 * The merchants of the benchmark, which the gateway and its peer both know. The rate of calls has a limit for each
 * merchant's key, so one merchant could not use a gateway to capacity.
 */

export const webhookSecret = 'whsec_of_the_benchmark_24';
export const callbackSecret = 'secret-of-the-benchmark';

export type Till = { merchant: string; key: string; channel: string };

export const tills: readonly Till[] = Array.from({ length: 16 }, (_, index) => ({
  merchant: `shop-${index + 1}`,
  key: `sk_test_bench_${index + 1}`,
  channel: `till-${index + 1}`,
}));

/** Returns the path of the callbacks of a channel. */
export const callbackPath = ({ channel }: Till) => `/ussd/${channel}/${callbackSecret}`;
