import { demoChannels } from '../../src/aggregators/registry.ts';
import { configSchema, type FileConfig } from '../../src/gateway/config/schema.ts';
import { noHandlers } from '../../src/menu/effects/lookup.ts';
import { createRandom } from '../kit/random.ts';
import { shopMenu } from '../kit/shop-menu.ts';
import { withStaff } from '../kit/staff.ts';
import { webhookSecretOf } from './oracle/events.ts';
import type { Plan } from './scene.ts';

const merchants = ['first-shop', 'other-shop'] as const;
/** The merchant who floods in some seeds, and another one. */
export const neighbours = { flooding: merchants[0], other: merchants[1] };
export const keyOf = (merchant: string) => `sk_test_simulated_${merchant}`;

/** Merchant ids by secret key. */
export const merchantKeys: ReadonlyMap<string, string> = new Map(
  merchants.map((merchant) => [keyOf(merchant), merchant]),
);

/** Settings of a world that differ from the usual ones. */
export type SimulatedSettings = {
  limits?: object;
  promptDelaysSeconds?: [number, ...number[]];
  callsPerSecond?: [number, ...number[]];
};

/**
 * Creates the configuration of a gateway with two merchants, and with aggregators and timings that the seed
 * selects.
 */
export function simulatedConfig(
  file: string,
  { seed, features }: Pick<Plan, 'seed' | 'features'>,
  { limits = {}, promptDelaysSeconds = [1.5, 1.5, 0.5, 4], callsPerSecond = [2, 20] }: SimulatedSettings = {},
): FileConfig {
  const random = createRandom(`config ${seed}`);
  const menu = shopMenu();
  const aggregators = new Set(Array.from({ length: 2 }, () => random.int(0, demoChannels.length - 1)));
  const parsed = configSchema.parse({
    environment: 'test',
    database: { file },
    limits,
    service: {
      url: 'http://service.test',
      callsPerSecond: random.pick(callsPerSecond),
      callsInFlight: Math.min(random.pick([2, 16]), features.includes('merchant_floods') ? 2 : 16),
    },
    timings: {
      quoteTimeoutSeconds: random.pick([0, 1]),
      promptDelaySeconds: random.pick(promptDelaysSeconds),
      promptDeadlineSeconds: random.pick([180, 180, 30, 600]),
      retryAllowedAfterSeconds: random.pick([360, 360, 60, 1200]),
      callTimeoutSeconds: random.pick([12, 12, 3, 30]),
      leaseSeconds: random.pick([30, 30, 120]),
      // At least as long as a reported status may lag behind.
      resendGraceSeconds: random.pick([15, 15, 40]),
      recentPaymentSeconds: random.pick([900, 900, 0]),
      sessionIdleSeconds: random.pick([60, 60, 20]),
      resumeWindowSeconds: random.pick([300, 300, 0]),
      duplicateWindowSeconds: random.pick([900, 900, 0]),
      repeatWindowSeconds: 2,
    },
    merchants: merchants.map((id) => ({
      id,
      name: id,
      key: keyOf(id),
      webhookSecrets: [webhookSecretOf(id)],
      menu: 'shop.yaml',
      // An attendant also pays with the same phone.
      attendants: random.happens(0.5) ? ['0244000101'] : [],
    })),
    ...(features.includes('access_ends') && {
      decisions: { secondPersonAbove: random.fork('second_person').pick(['0.00', '10.00']) },
    }),
    ...(features.includes('merchants_notified') && {
      notify: { secretsKey: Buffer.alloc(32, 7).toString('base64') },
    }),
    channels: [...aggregators].flatMap((index) =>
      merchants.map((merchant) => ({
        ...demoChannels[index],
        id: `${demoChannels[index]?.id}-${merchant}`.slice(0, 32),
        secret: `secret-of-simulated-channel-${merchant}`,
        merchant,
      })),
    ),
  });
  withStaff(parsed);
  return {
    ...parsed,
    database: { file },
    merchants: parsed.merchants.map((one) => ({ ...one, menu, handlers: noHandlers })),
  };
}
