import { demoChannels } from '../../src/aggregators/registry.ts';
import { type Config, configSchema } from '../../src/gateway/config/schema.ts';
import { noHandlers } from '../../src/menu/effects/handler.ts';
import { shopMenu } from '../kit/shop-menu.ts';
import { chanceOf } from './chance.ts';
import { webhookSecretOf } from './oracle/news.ts';

const merchants = ['first-shop', 'other-shop'] as const;
const keyOf = (merchant: string) => `sk_test_simulated_${merchant}`;

/** Merchants by their secret key. */
export const merchantKeys: ReadonlyMap<string, string> = new Map(
  merchants.map((merchant) => [keyOf(merchant), merchant]),
);

/** A gateway of two merchants, with the aggregators and the timings that the seed picks. */
export function simulatedConfig(file: string, { seed }: { seed: number }): Config {
  const chance = chanceOf(`config ${seed}`);
  const menu = shopMenu();
  const aggregators = new Set(Array.from({ length: 2 }, () => chance.int(0, demoChannels.length - 1)));
  const parsed = configSchema.parse({
    environment: 'test',
    database: { file },
    service: {
      url: 'http://service.test',
      callsPerSecond: chance.pick([2, 20]),
      callsInFlight: chance.pick([2, 16]),
    },
    timings: {
      quoteTimeoutSeconds: chance.pick([0, 1]),
      promptDelaySeconds: chance.pick([1.5, 1.5, 0.5, 4]),
      promptDeadlineSeconds: chance.pick([180, 180, 30, 600]),
      retryAllowedAfterSeconds: chance.pick([360, 360, 60, 1200]),
      callTimeoutSeconds: chance.pick([12, 12, 3, 30]),
      leaseSeconds: chance.pick([30, 30, 120]),
      // No shorter than a status may lag behind: that much a merchant must know of the service.
      resendGraceSeconds: chance.pick([15, 15, 40]),
      recentPaymentSeconds: chance.pick([900, 900, 0]),
      resumeWindowSeconds: chance.pick([300, 300, 0]),
      duplicateWindowSeconds: chance.pick([900, 900, 0]),
      repeatWindowSeconds: 2,
    },
    merchants: merchants.map((id) => ({
      id,
      name: id,
      key: keyOf(id),
      webhookSecrets: [webhookSecretOf(id)],
      menu: 'shop.yaml',
      // Who sells has a phone as well, and pays with it.
      attendants: chance.happens(0.5) ? ['0244000101'] : [],
    })),
    channels: [...aggregators].flatMap((index) =>
      merchants.map((merchant) => ({
        ...demoChannels[index],
        id: `${demoChannels[index]?.id}-${merchant}`.slice(0, 32),
        secret: `secret-of-simulated-channel-${merchant}`,
        merchant,
      })),
    ),
  });
  return {
    ...parsed,
    merchants: parsed.merchants.map((one) => ({ ...one, menu, handlers: noHandlers })),
  };
}
