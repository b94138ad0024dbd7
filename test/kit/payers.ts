import type { FileConfig } from '../../src/gateway/config/schema.ts';
import { type LookupHandler, toHandlers } from '../../src/menu/effects/lookup.ts';
import type { Menu } from '../../src/menu/schema.ts';
import { addProgramMerchant } from '../../src/testing/programs.ts';
import { msisdnOf } from './msisdn.ts';
import { shopMenu } from './shop-menu.ts';
import { createTill, type Till, type TillOptions } from './till.ts';

export const other = '0201234567';

type ShopOptions = Omit<TillOptions, 'configure'> & {
  menu?: Menu;
  handlers?: Record<string, LookupHandler>;
  attendants?: string[];
  limits?: Partial<FileConfig['limits']>;
  configure?: (config: FileConfig) => void;
};

/** Creates a till whose merchant uses `menu`. Payers have no limits unless the test sets them. */
export function createShop(options: ShopOptions = {}): Promise<Till> {
  const { menu = shopMenu(), handlers = {}, attendants = [], limits, ...rest } = options;
  const none = { perHour: null, perDay: null };
  return createTill({
    ...rest,
    service: { limits: { prompts: { burst: 1_000, perMinute: 1_000 } }, ...rest.service },
    timings: { quoteTimeoutMs: 1_000, ...rest.timings },
    configure(config) {
      const declines = { maxDeclines: null, coolDownMs: 3_600_000 };
      const requests = { dialler: none, payer: none };
      const ofAttendants = { ...none, maxDeclines: null };
      Object.assign(config.limits, {
        ...{ dialler: none, payer: none, requests, declines, attendants: ofAttendants },
        ...limits,
      });
      config.merchants = config.merchants.map((one) => ({
        ...one,
        menu,
        handlers: toHandlers(Object.entries(handlers)),
        attendants: attendants.map(msisdnOf),
      }));
      options.configure?.(config);
    },
  });
}

/** Adds a second merchant with its own key, on a Nalo channel `other-shop`. Restarts the gateway. */
export async function addOtherShop(till: Till): Promise<void> {
  const { key } = await addProgramMerchant(till.service, 'Other Shop');
  const [first] = till.config.merchants;
  const [channel] = till.config.channels.filter(({ id }) => id === 'nalo');
  if (!first || !channel) throw new Error('expected a merchant and a Nalo channel to copy');
  till.config.merchants.push({ ...first, id: 'other-shop', name: 'Other Shop', key });
  till.config.channels.push({ ...channel, id: 'other-shop', merchant: 'other-shop' });
  await till.restart();
}
