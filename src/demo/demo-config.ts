import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { z } from 'zod';
import { demoChannels } from '../aggregators/registry.ts';
import type { OpenAccount } from '../gateway/accounts/open-account.ts';
import { findLocalUrl } from '../gateway/config/addresses.ts';
import { UserError } from '../shared/errors.ts';
import { isLoopbackHost } from '../shared/http/addresses.ts';
import { replacePrivately } from '../sqlite/private-file.ts';

/** The settings of the demo that its configuration file contains. */
export type DemoSettings = {
  host: string;
  /** Menu file that payers see; the example shop by default. */
  menu?: string | undefined;
  /** Numbers of the merchant's attendants. */
  attendants?: readonly string[] | undefined;
  /** Base address of the menu's lookups. */
  lookupsUrl?: string | undefined;
};

/** The default base address of lookups. Its port is not used by the gateway or the service. */
export const demoLookupsUrl = 'http://127.0.0.1:8100';

/** The id of the demo's only merchant. */
export const demoMerchant = 'demo-shop';

const shopMenu = fileURLToPath(new URL('../../fixtures/menus/shop.yaml', import.meta.url));

/** One person tries many payments with one phone, so the demo has no limits for diallers and payers. */
const limits = {
  dialler: { perHour: false, perDay: false },
  payer: { perHour: false, perDay: false },
  requests: {
    payer: { perHour: false, perDay: false },
    dialler: { perHour: false, perDay: false },
  },
};

const heading = `# The demo writes this file at every start. To begin your own configuration, copy it and remove "limits":
# without that section the defaults apply.
`;

/** The password and the code of `dialtill staff sign-in` for all people of the demo. */
export const demoSignIn = { password: 'demo', code: '000000' } as const;

/** People of support staff: one proposes a decision, and the other approves it. */
const supportStaff: readonly OpenAccount[] = [
  { name: 'ama', role: 'lead', commands: demoSignIn },
  { name: 'kofi', role: 'finance', commands: demoSignIn },
];

/** Manages accounts, endpoints and keys. */
const admin: OpenAccount = { name: 'yaw', role: 'admin', commands: demoSignIn };

/**
 * Returns the people of the demo. A demo that other machines can reach has no admin and no endpoints: with an endpoint, every
 * caller could send requests to the programs of this machine.
 */
export function demoAccounts(host: string): readonly OpenAccount[] {
  return isThisMachine(host) ? [...supportStaff, admin] : supportStaff;
}

/** Returns whether only this machine reaches the address. */
export function isThisMachine(host: string): boolean {
  return isLoopbackHost(host.includes(':') ? `[${host}]` : host);
}

/** Returns the text of the demo's configuration file. `port` is the port of the gateway. */
export function demoConfigText(
  { host, menu, attendants = [], lookupsUrl = demoLookupsUrl }: DemoSettings,
  state: DemoState,
  { port, serviceUrl }: { port: number; serviceUrl: string },
): string {
  const publicUrl = findLocalUrl({ host, port });
  const config = {
    environment: 'test',
    listen: { host, port },
    database: { file: 'gateway.db' },
    service: { url: serviceUrl, simulator: true },
    ...(publicUrl === undefined
      ? {}
      : { phone: { publicUrl }, console: { publicUrl, secretsKey: state.consoleKey } }),
    ...(isThisMachine(host) && { notify: { secretsKey: state.consoleKey } }),
    limits,
    merchants: [
      {
        id: demoMerchant,
        name: 'Demo Shop',
        key: state.key,
        webhookSecrets: [state.webhookSecret],
        menu: menu === undefined ? shopMenu : resolve(menu),
        attendants: [...attendants],
        lookups: { url: lookupsUrl, secret: state.lookupsSecret },
      },
    ],
    channels: demoChannels.map((channel) => ({
      ...channel,
      secret: state.channelSecrets[channel.id],
      merchant: demoMerchant,
    })),
  };
  return `${heading}${stringify(config)}`;
}

const demoState = z.object({
  adminToken: z.string(),
  merchantId: z.string(),
  key: z.string(),
  webhookSecret: z.string(),
  /** Secrets by channel id. */
  channelSecrets: z.record(z.string(), z.string()),
  lookupsSecret: z.string(),
  /** The key of the console and of notifications; a new one for the state of an earlier version. */
  consoleKey: z.string().optional(),
  /** The advance of the clock in milliseconds: the databases contain times of that future. */
  advancedMs: z.int().min(0),
  /** Time of the last start, by the system clock. Commands use the service that was started last. */
  startedAt: z.number().optional(),
});

/** The state that the demo keeps between two starts. */
export type DemoState = z.infer<typeof demoState>;

/** Reads the state of the demo. Returns `undefined` when the file does not exist. @throws UserError when the file is not valid. */
export function readDemoState(file: string): DemoState | undefined {
  if (!existsSync(file)) return undefined;
  try {
    return demoState.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (cause) {
    throw new UserError(`${file} cannot be read. Remove its folder to start a new demo.`, { cause });
  }
}

/** Replaces the state of the demo. Only the owner can read the file: it contains secrets. */
export function writeDemoState(file: string, state: DemoState): void {
  replacePrivately(file, `${JSON.stringify(state, null, 2)}\n`);
}
