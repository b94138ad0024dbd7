import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { demoChannels } from '../aggregators/registry.ts';
import type { OpenAccount } from '../gateway/accounts/open-account.ts';
import { findLocalUrl } from '../gateway/config/addresses.ts';
import { isLoopbackHost } from '../shared/http/addresses.ts';
import type { DemoState } from './demo-state.ts';

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
