import type { AccountRole } from '../../contract/staff/account.ts';
import { type Permission, roleHas } from '../access/permissions.ts';

/**
 * Who may use a route.
 *
 * - `everyone`: also a browser that is not signed in.
 * - `setup`: a person in the first use of an account.
 * - `needs`: people with this permission, or everybody who is signed in. With `isConfirmed`, they must have entered the password and a
 *   code within five minutes, as for approvals.
 */
export type Audience = 'everyone' | 'setup' | { needs: Permission; isConfirmed?: true };

const confirmed = { isConfirmed: true } as const;

/** Every route of the console, below `/console`, with the people who may use it. A route that is not here does not exist. */
export const consoleRoutes = {
  'GET /': { needs: 'account.own' },
  'GET /assets/:name': 'everyone',
  'GET /export.csv': { needs: 'payments.read' },
  'POST /search': { needs: 'payments.read' },
  'POST /views': { needs: 'payments.read' },
  'POST /views/:id/remove': { needs: 'payments.read' },
  'GET /payments': { needs: 'payments.read' },
  'GET /payments/:id': { needs: 'payments.read' },
  'GET /payments/:id/payer': { needs: 'payments.read' },
  'GET /payments/:id/live': { needs: 'payments.read' },
  'POST /payments/:id/check': { needs: 'payments.check' },
  'POST /payments/:id/notes': { needs: 'payments.note' },
  'POST /payments/:id/assign': { needs: 'payments.work' },
  'POST /payments/:id/proposals': { needs: 'proposals.make' },
  'POST /payments/:id/resend': { needs: 'payments.work' },
  'POST /payments/:id/block': { needs: 'payments.block' },
  'POST /payments/:id/unblock': { needs: 'payments.block' },
  'POST /payments/:id/reveal': { needs: 'numbers.reveal' },
  'GET /desk': { needs: 'cases.read' },
  'GET /events/:id': { needs: 'cases.read' },
  'GET /proposals': { needs: 'cases.read' },
  'GET /proposals/:id': { needs: 'cases.read' },
  'POST /proposals/:id/approve': { needs: 'proposals.decide', ...confirmed },
  'POST /proposals/:id/refuse': { needs: 'proposals.decide' },
  'POST /proposals/:id/withdraw': { needs: 'proposals.make' },
  'GET /deciders': { needs: 'proposals.decide' },
  'POST /deciders/:id/accept': { needs: 'proposals.decide', ...confirmed },
  'GET /abuse': { needs: 'cases.read' },
  'GET /abuse/:id': { needs: 'cases.read' },
  'POST /abuse/blocks': { needs: 'blocks.write' },
  'POST /abuse/blocks/:id/remove': { needs: 'blocks.write' },
  'GET /days': { needs: 'days.read' },
  'GET /days/:id': { needs: 'days.read' },
  'GET /days/:id/bookings': { needs: 'cases.read' },
  'GET /days/:id/bookings.csv': { needs: 'cases.read' },
  'POST /days/:id/close': { needs: 'days.close' },
  'GET /sessions': { needs: 'cases.read' },
  'GET /sessions/:id': { needs: 'cases.read' },
  'GET /unplaced': { needs: 'cases.read' },
  'GET /unplaced/:id': { needs: 'cases.read' },
  'POST /unplaced/search': { needs: 'cases.read' },
  'POST /unplaced/:id/assign': { needs: 'payments.work' },
  'POST /unplaced/:id/proposals': { needs: 'proposals.make' },
  'GET /deliveries': { needs: 'endpoints.read' },
  'GET /endpoints': { needs: 'endpoints.read' },
  'GET /endpoints/new': { needs: 'endpoints.write', ...confirmed },
  'POST /endpoints': { needs: 'endpoints.write', ...confirmed },
  'GET /endpoints/:id': { needs: 'endpoints.read' },
  'POST /endpoints/:id/test': { needs: 'endpoints.write' },
  'POST /endpoints/:id/enable': { needs: 'endpoints.write' },
  'POST /endpoints/:id/disable': { needs: 'endpoints.write' },
  'POST /endpoints/:id/remove': { needs: 'endpoints.write' },
  'POST /endpoints/:id/rotate': { needs: 'endpoints.write', ...confirmed },
  'GET /endpoints/:id/address': { needs: 'endpoints.write', ...confirmed },
  'POST /endpoints/:id/address': { needs: 'endpoints.write', ...confirmed },
  'POST /endpoints/:id/resend': { needs: 'endpoints.write' },
  'POST /endpoints/:id/replay': { needs: 'endpoints.write' },
  'GET /keys': { needs: 'keys.read' },
  'GET /keys/new': { needs: 'keys.write', ...confirmed },
  'POST /keys': { needs: 'keys.write', ...confirmed },
  'POST /keys/:id/revoke': { needs: 'keys.write' },
  'GET /audit': { needs: 'audit.read' },
  'GET /audit.csv': { needs: 'audit.read' },
  'GET /sign-in': 'everyone',
  'POST /sign-in': 'everyone',
  'POST /sign-out': { needs: 'account.own' },
  'GET /first-use': 'everyone',
  'POST /first-use': 'everyone',
  'GET /set-up': 'setup',
  'POST /set-up': 'setup',
  'GET /confirm': { needs: 'account.own' },
  'POST /confirm': { needs: 'account.own' },
  'GET /me': { needs: 'account.own' },
  'POST /me/password': { needs: 'account.own', ...confirmed },
  'POST /me/recovery-codes': { needs: 'account.own', ...confirmed },
  'GET /me/authenticator': { needs: 'account.own', ...confirmed },
  'POST /me/authenticator/new': { needs: 'account.own', ...confirmed },
  'POST /me/authenticator': { needs: 'account.own', ...confirmed },
  'GET /me/passkeys': { needs: 'account.own', ...confirmed },
  'POST /me/passkeys': { needs: 'account.own', ...confirmed },
  'POST /me/passkeys/:id/remove': { needs: 'account.own', ...confirmed },
  'GET /me/tokens': { needs: 'commands.use', ...confirmed },
  'POST /me/tokens': { needs: 'commands.use', ...confirmed },
  'POST /me/sessions/end': { needs: 'account.own' },
  'POST /me/sessions/:id/end': { needs: 'account.own' },
  'GET /staff': { needs: 'accounts.manage' },
  'POST /staff': { needs: 'accounts.manage', ...confirmed },
  'POST /staff/:id/reset': { needs: 'accounts.manage', ...confirmed },
  'POST /staff/:id/disable': { needs: 'accounts.manage', ...confirmed },
  'POST /staff/:id/enable': { needs: 'accounts.manage', ...confirmed },
  'POST /staff/:id/role': { needs: 'accounts.manage', ...confirmed },
} as const satisfies Record<string, Audience>;

export type RouteName = keyof typeof consoleRoutes;

/** Returns whether the start page of a role is what waits for people. People of a merchant start with their payments. */
export function hasHome(role: AccountRole): boolean {
  return role !== 'merchant';
}

/** Returns whether people with a role may use a route. */
export function mayUse(role: AccountRole, name: RouteName): boolean {
  const audience: Audience = consoleRoutes[name];
  return typeof audience === 'object' && roleHas(role, audience.needs);
}
