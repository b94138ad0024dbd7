import { type AccountRole, accountRoles } from '../../contract/account.ts';

/**
 * Who may use a route.
 *
 * - `everyone`: also a browser that is not signed in.
 * - `setup`: a person in the first use of an account.
 * - `roles`: people with one of these roles. With `isConfirmed`, they must have entered the password and a code within five
 *   minutes, as for approvals.
 */
export type Audience = 'everyone' | 'setup' | { roles: readonly AccountRole[]; isConfirmed?: true };

/** The roles that read the payments of all merchants. */
const readers: readonly AccountRole[] = ['agent', 'lead', 'finance', 'auditor'];

/** The roles that read payments: of all merchants, or of their own one (see `scope.ts`). */
const paymentReaders: readonly AccountRole[] = [...readers, 'merchant'];

const reading: Audience = { roles: readers };
const readingPayments: Audience = { roles: paymentReaders };
const acting: Audience = { roles: ['agent', 'lead', 'finance'] };
/** The roles that approve what another person proposes. */
const deciders: readonly AccountRole[] = ['lead', 'finance'];
/** The roles that export whole phone numbers. */
export const wholeNumberExporters: readonly AccountRole[] = ['lead', 'finance'];
const overseers: readonly AccountRole[] = ['lead', 'finance', 'auditor', 'admin'];
const overseeing: Audience = { roles: overseers };
/** The roles that manage endpoints and keys: of all merchants, or of their own one (see `systems/in-scope.ts`). */
const systemManagers: readonly AccountRole[] = ['admin', 'merchant'];
const systems: Audience = { roles: systemManagers };
/** What gives a system access, or a secret, needs the password again. */
const confirmedSystems: Audience = { roles: systemManagers, isConfirmed: true };
const readingSystems: Audience = { roles: [...overseers, 'merchant'] };
const everyRole: Audience = { roles: accountRoles };
const own: Audience = { roles: accountRoles, isConfirmed: true };
/** The roles whose people use the commands. A merchant's systems have keys. */
const tokenHolders: readonly AccountRole[] = [...readers, 'admin'];
const admin: Audience = { roles: ['admin'] };
const confirmedAdmin: Audience = { roles: ['admin'], isConfirmed: true };

/** Every route of the console, below `/console`, with the people who may use it. A route that is not here does not exist. */
export const consoleRoutes = {
  'GET /': everyRole,
  'GET /assets/:name': 'everyone',
  'GET /export.csv': readingPayments,
  'POST /search': readingPayments,
  'POST /views': readingPayments,
  'POST /views/:id/remove': readingPayments,
  'GET /payments': readingPayments,
  'GET /payments/:id': readingPayments,
  'GET /payments/:id/payer': readingPayments,
  'GET /payments/:id/live': readingPayments,
  'POST /payments/:id/check': acting,
  'POST /payments/:id/notes': acting,
  'POST /payments/:id/assign': acting,
  'POST /payments/:id/proposals': acting,
  'POST /payments/:id/resend': acting,
  'POST /payments/:id/block': acting,
  'POST /payments/:id/unblock': acting,
  'POST /payments/:id/reveal': acting,
  'GET /desk': reading,
  'GET /events/:id': reading,
  'GET /proposals': reading,
  'GET /proposals/:id': reading,
  'POST /proposals/:id/approve': { roles: deciders, isConfirmed: true },
  'POST /proposals/:id/refuse': { roles: deciders },
  'POST /proposals/:id/withdraw': acting,
  'GET /abuse': reading,
  'GET /abuse/:id': reading,
  'POST /abuse/blocks': acting,
  'POST /abuse/blocks/:id/remove': acting,
  'GET /days': readingPayments,
  'GET /days/:id': readingPayments,
  'GET /days/:id/bookings': reading,
  'GET /days/:id/bookings.csv': reading,
  'POST /days/:id/close': { roles: ['finance'] },
  'GET /sessions': reading,
  'GET /sessions/:id': reading,
  'GET /unplaced': reading,
  'GET /unplaced/:id': reading,
  'POST /unplaced/search': reading,
  'POST /unplaced/:id/assign': acting,
  'POST /unplaced/:id/proposals': acting,
  'GET /deliveries': readingSystems,
  'GET /endpoints': readingSystems,
  'GET /endpoints/new': confirmedSystems,
  'POST /endpoints': confirmedSystems,
  'GET /endpoints/:id': readingSystems,
  'POST /endpoints/:id/test': systems,
  'POST /endpoints/:id/enable': systems,
  'POST /endpoints/:id/disable': systems,
  'POST /endpoints/:id/remove': systems,
  'POST /endpoints/:id/rotate': confirmedSystems,
  'GET /endpoints/:id/address': confirmedSystems,
  'POST /endpoints/:id/address': confirmedSystems,
  'POST /endpoints/:id/resend': systems,
  'POST /endpoints/:id/replay': systems,
  'GET /keys': { roles: ['auditor', ...systemManagers] },
  'GET /keys/new': confirmedSystems,
  'POST /keys': confirmedSystems,
  'POST /keys/:id/revoke': systems,
  'GET /audit': overseeing,
  'GET /audit.csv': overseeing,
  'GET /sign-in': 'everyone',
  'POST /sign-in': 'everyone',
  'POST /sign-out': everyRole,
  'GET /first-use': 'everyone',
  'POST /first-use': 'everyone',
  'GET /set-up': 'setup',
  'POST /set-up': 'setup',
  'GET /confirm': everyRole,
  'POST /confirm': everyRole,
  'GET /me': everyRole,
  'POST /me/password': own,
  'POST /me/recovery-codes': own,
  'GET /me/authenticator': own,
  'POST /me/authenticator/new': own,
  'POST /me/authenticator': own,
  'GET /me/passkeys': own,
  'POST /me/passkeys': own,
  'POST /me/passkeys/:id/remove': own,
  'GET /me/tokens': { roles: tokenHolders, isConfirmed: true },
  'POST /me/tokens': { roles: tokenHolders, isConfirmed: true },
  'POST /me/sessions/end': everyRole,
  'POST /me/sessions/:id/end': everyRole,
  'GET /staff': admin,
  'POST /staff': confirmedAdmin,
  'POST /staff/:id/reset': confirmedAdmin,
  'POST /staff/:id/disable': confirmedAdmin,
  'POST /staff/:id/enable': confirmedAdmin,
  'POST /staff/:id/role': confirmedAdmin,
} as const satisfies Record<string, Audience>;

export type RouteName = keyof typeof consoleRoutes;

/** Returns whether the start page of a role is what waits for people. People of a merchant start with their payments. */
export function hasHome(role: AccountRole): boolean {
  return role !== 'merchant';
}

/** Returns whether a role may use a route. */
export function mayUse(role: AccountRole, name: RouteName): boolean {
  const audience: Audience = consoleRoutes[name];
  return typeof audience === 'object' && audience.roles.includes(role);
}
