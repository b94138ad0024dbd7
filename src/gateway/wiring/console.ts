import type { Hono } from 'hono';
import { getCookie } from 'hono/cookie';
import type { AddressList } from '../../shared/http/address-list.ts';
import { readAssets, sendAsset } from '../../shared/pages/assets.ts';
import { can } from '../access/permissions.ts';
import type { AccountDeps } from '../accounts/deps.ts';
import { loadWebAuthn, passkeySite } from '../accounts/passkey-ceremony.ts';
import { createPasskeyChallenges } from '../accounts/passkey-challenge.ts';
import { passkeyStore } from '../accounts/passkey-store.ts';
import type { PasskeyDeps } from '../accounts/passkeys.ts';
import { savedViewStore } from '../accounts/saved-view-store.ts';
import { findPerson } from '../accounts/session.ts';
import { abuseRoutes } from '../console/abuse/abuse-routes.tsx';
import { deciderRoutes } from '../console/access/deciders.tsx';
import type { AccessPagesDeps } from '../console/access/deps.ts';
import { ownAccountRoutes } from '../console/access/me.tsx';
import { passkeyRoutes } from '../console/access/passkeys.tsx';
import { setUpRoutes } from '../console/access/set-up.tsx';
import { signInRoutes } from '../console/access/sign-in.tsx';
import { staffRoutes } from '../console/access/staff.tsx';
import { auditRoutes } from '../console/audit/audit-routes.tsx';
import { cookieName } from '../console/cookie.ts';
import { bookingsRoutes } from '../console/days/bookings-routes.tsx';
import { daysRoutes } from '../console/days/days-routes.tsx';
import { type ConsoleEnv, defineRoute } from '../console/define-route.ts';
import { deskRoutes } from '../console/desk/desk-routes.tsx';
import { eventRoutes } from '../console/desk/event-routes.tsx';
import { unplacedRoutes } from '../console/desk/unplaced-routes.tsx';
import type { GatewayCondition } from '../console/home/alerts.ts';
import { homeRoute } from '../console/home/home-routes.tsx';
import { limitDigitSearches } from '../console/list/digit-searches.ts';
import { exportRoutes } from '../console/list/export-routes.tsx';
import { createExporter } from '../console/list/exporter.tsx';
import { viewRoutes } from '../console/list/view-routes.tsx';
import { maskedNumbers, numbersFor } from '../console/numbers.ts';
import { assetPaths } from '../console/page.tsx';
import { liveRoute } from '../console/payment/live.ts';
import { paymentRoutes } from '../console/payment-routes.tsx';
import { consoleRoute } from '../console/route.tsx';
import { sessionsRoutes } from '../console/sessions/sessions-routes.tsx';
import { systemRoutes } from '../console/systems/routes.ts';
import { decisionRoutes } from '../console/work/decisions.tsx';
import { paymentActionRoutes, readActions } from '../console/work/payment-actions.tsx';
import { revealRoute } from '../console/work/reveal.tsx';
import type { StaffDeps } from '../staff/operation.ts';
import type { GatewayContext } from './context.ts';
import type { GatewayReader } from './reads.ts';
import type { Storage } from './storage.ts';

/** The parts of the gateway that the console uses. */
type ConsoleParts = {
  accounts: AccountDeps;
  operations: StaffDeps;
  trustedProxies: AddressList;
  reader: GatewayReader;
  condition(): Promise<GatewayCondition>;
  /** Aborts when the server stops. */
  closing: AbortSignal;
};

/** Creates the console; `undefined` without `console` in the configuration. */
export function createConsole(
  { config, clock, livemode, log, rejections, openAccounts }: GatewayContext,
  { store }: Storage,
  { accounts, operations, trustedProxies, condition, closing, ...parts }: ConsoleParts,
): Hono<ConsoleEnv> | undefined {
  if (!config.console) return undefined;
  const publicUrl = new URL(config.console.publicUrl);
  const { wrongSignIns } = rejections;
  if (livemode === 1 && openAccounts.length > 0) throw new Error('a live gateway has no open accounts');
  const reader = limitDigitSearches(parts.reader, accounts);
  const deps: AccessPagesDeps = {
    ...{
      accounts,
      passkeys: passkeyDeps(accounts, store, config.console),
      operations,
      reader,
      publicUrl,
      trustedProxies,
      wrongSignIns,
      openAccounts,
    },
  };
  const views = savedViewStore(store);
  const assets = readAssets('console');
  const exporter = createExporter({ accounts, clock, log });
  const { merchantIds } = operations;
  const routes = [
    defineRoute('GET /assets/:name', ({ c }) => sendAsset(c, assets)),
    homeRoute({ reader, clock, livemode, merchantIds, operations, condition }),
    ...viewRoutes({ ...accounts, views }),
    ...exportRoutes({ reader, exporter }),
    ...paymentRoutes({
      ...{ reader, clock, merchantIds },
      viewsOf: ({ accountId }) => views.list(accountId),
      numbers: (person, record) => (record ? numbersFor(person, record, clock.now()) : maskedNumbers),
      async actions(person, row) {
        return can(person, 'payments.note') ? readActions(operations, row, person) : null;
      },
    }),
    liveRoute({
      ...{ reader, clock, closing },
      personNow: (c) => findPerson(accounts, getCookie(c, cookieName(publicUrl)), false),
    }),
    ...paymentActionRoutes(operations),
    revealRoute(operations),
    ...deskRoutes({ reader, clock, livemode }),
    ...eventRoutes({ reader, livemode }),
    ...unplacedRoutes({ operations, reader, clock }),
    ...abuseRoutes({ operations, reader, clock, merchantIds }),
    ...daysRoutes({ operations, reader, clock, merchantIds }),
    ...bookingsRoutes({ reader, exporter, livemode }),
    ...sessionsRoutes({ reader, merchantIds }),
    ...auditRoutes({ reader, exporter }),
    ...decisionRoutes({ operations }),
    ...systemRoutes(operations, reader),
    ...signInRoutes(deps),
    ...setUpRoutes(deps),
    ...ownAccountRoutes(deps),
    ...passkeyRoutes(deps),
    ...staffRoutes(deps),
    ...deciderRoutes(operations),
  ];
  return consoleRoute({ accounts, publicUrl, assets: assetPaths(assets), routes, log });
}

/** Returns what passkeys use; `undefined` where browsers create none. */
function passkeyDeps(
  accounts: AccountDeps,
  store: Storage['store'],
  { publicUrl, secretsKey }: { publicUrl: string; secretsKey: string },
): PasskeyDeps | undefined {
  const site = passkeySite(new URL(publicUrl));
  if (!site) return undefined;
  // Loaded before the first use, which would otherwise delay it.
  void loadWebAuthn();
  const challenges = createPasskeyChallenges(secretsKey, accounts);
  return { ...accounts, passkeys: passkeyStore(store), challenges, site };
}
