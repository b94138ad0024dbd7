import { demoChannels } from '../../src/aggregators/registry.ts';
import type { DatabaseLocation } from '../../src/gateway/database/database-location.ts';

/*
 * The merchants of the benchmark, which the gateway and its peer both know. The rate of calls has a limit for each
 * merchant's key, so one merchant could not use a gateway to capacity.
 */

export const webhookSecret = 'whsec_of_the_benchmark_24';

const secretsKey = Buffer.alloc(32, 9).toString('base64');

const people = { lead: 300, admin: 40, finance: 20 } as const;

/** People of the console without a password. Each may send a bounded number of requests. */
export const consolePeople = Object.entries(people).flatMap(([role, length]) =>
  Array.from({ length }, (_, index) => ({
    ...{ name: `${role}-${index + 1}`, role: role as keyof typeof people },
  })),
);

/** The merchant with the most payments of the seeded ledger, for a gateway with a console. */
export const seedMerchant = 'abena-stores';

export type Till = { merchant: string; key: string; channel: string };

export const tills: readonly Till[] = Array.from({ length: 16 }, (_, index) => ({
  merchant: `shop-${index + 1}`,
  key: `sk_test_bench_${index + 1}`,
  channel: `till-${index + 1}`,
}));

/** Returns the ledger in a file, or on the server of a `postgres://` URL. */
export const locationOf = (database: string): DatabaseLocation =>
  database.startsWith('postgres:') ? { url: database, maxConnections: 10 } : { file: database };

/** Returns the path of the callbacks of a channel. */
export const callbackPath = ({ channel }: Till) => `/ussd/${channel}/${callbackSecretOf(channel)}`;

const callbackSecretOf = (channel: string) => `secret-of-the-benchmark-${channel}`;

/** Returns the settings of a gateway with all tills, as a configuration file has them. */
export function tillSettings({
  database,
  peerUrl,
  menu,
  callsPerSecond = 1_000,
  hasConsole = false,
}: {
  database: string;
  peerUrl: string;
  menu: string;
  callsPerSecond?: number;
  hasConsole?: boolean;
}) {
  const demo = demoChannels.find(({ id }) => id === 'africastalking');
  return {
    environment: 'test',
    listen: { port: 0 },
    database: locationOf(database),
    ...(hasConsole && {
      console: { publicUrl: 'http://127.0.0.1:8080', secretsKey },
      notify: { secretsKey },
    }),
    service: { url: peerUrl, callsPerSecond, callsInFlight: 64 },
    timings: { promptDelaySeconds: 0 },
    limits: { merchant: { perMinute: false } },
    merchants: [...tills, ...(hasConsole ? [{ merchant: seedMerchant, key: 'sk_test_bench_seed' }] : [])].map(
      ({ merchant: id, key }) => ({
        ...{ id, name: 'Shop', key, menu },
        webhookSecrets: [webhookSecret],
      }),
    ),
    channels: tills.map(({ channel: id, merchant }) => ({
      ...{ ...demo, id, merchant, promptDelaySeconds: 0 },
      secret: callbackSecretOf(id),
    })),
  };
}
