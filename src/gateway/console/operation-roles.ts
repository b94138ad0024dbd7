import type { AccountRole } from '../../contract/account.ts';
import { type Audience, consoleRoutes, type RouteName } from './roles.ts';

/** The route of the console whose people may run an operation with a token; `admin` for what has no page. */
const routeOf: Readonly<Record<string, RouteName | 'admin'>> = {
  'POST /collections/:id/check': 'POST /payments/:id/check',
  'POST /collections/:id/notes': 'POST /payments/:id/notes',
  'POST /collections/:id/assign': 'POST /payments/:id/assign',
  'POST /collections/:id/reveal': 'POST /payments/:id/reveal',
  'POST /collections/:id/block': 'POST /payments/:id/block',
  'POST /collections/:id/unblock': 'POST /payments/:id/unblock',
  'POST /collections/:id/resend': 'POST /payments/:id/resend',
  'GET /reviews': 'GET /desk',
  'GET /reviews/:id': 'GET /desk',
  'POST /reviews/:id/proposals': 'POST /payments/:id/proposals',
  'GET /unplaced': 'GET /unplaced',
  'GET /unplaced/:id': 'GET /unplaced/:id',
  'POST /unplaced/:id/assign': 'POST /unplaced/:id/assign',
  'POST /unplaced/:id/proposals': 'POST /unplaced/:id/proposals',
  'GET /proposals/:id': 'GET /proposals/:id',
  'POST /proposals/:id/approve': 'POST /proposals/:id/approve',
  'POST /proposals/:id/withdraw': 'POST /proposals/:id/withdraw',
  'POST /proposals/:id/refuse': 'POST /proposals/:id/refuse',
  'POST /blocks': 'POST /abuse/blocks',
  'POST /blocks/remove': 'POST /abuse/blocks/:id/remove',
  'POST /days/:id/close': 'POST /days/:id/close',
  'GET /merchant-keys': 'GET /keys',
  'POST /merchant-keys': 'POST /keys',
  'POST /merchant-keys/:id/revoke': 'POST /keys/:id/revoke',
  'GET /endpoints': 'GET /endpoints',
  'POST /endpoints': 'POST /endpoints',
  'POST /endpoints/:id/change': 'POST /endpoints/:id/address',
  'POST /endpoints/:id/rotate': 'POST /endpoints/:id/rotate',
  'POST /endpoints/:id/remove': 'POST /endpoints/:id/remove',
  'POST /endpoints/:id/enable': 'POST /endpoints/:id/enable',
  'POST /endpoints/:id/disable': 'POST /endpoints/:id/disable',
  'POST /endpoints/:id/test': 'POST /endpoints/:id/test',
  'GET /endpoints/:id/deliveries': 'GET /endpoints/:id',
  'POST /endpoints/:id/resend': 'POST /endpoints/:id/resend',
  'POST /endpoints/:id/replay': 'POST /endpoints/:id/replay',
  'POST /reload': 'admin',
  'GET /accounts': 'GET /staff',
  'POST /accounts': 'POST /staff',
  'POST /accounts/:id/reset': 'POST /staff/:id/reset',
  'POST /accounts/:id/disable': 'POST /staff/:id/disable',
  'POST /accounts/:id/enable': 'POST /staff/:id/enable',
  'POST /accounts/:id/role': 'POST /staff/:id/role',
};

/** Whether a person with a token may run an operation; `confirm` when the console must ask for the password before it. */
export type OperationAccess = 'allowed' | 'forbidden' | 'confirm';

/**
 * Returns whether a role may run an operation with a token of the command line, by the same table as the pages. An operation
 * without a row is forbidden. The operations know no merchant, so that people of one have none.
 */
export function accessOf(role: AccountRole, operation: string): OperationAccess {
  const name = Object.hasOwn(routeOf, operation) ? routeOf[operation] : undefined;
  if (name === undefined || role === 'merchant') return 'forbidden';
  const audience: Audience = name === 'admin' ? { roles: ['admin'] } : consoleRoutes[name];
  if (typeof audience === 'string' || !audience.roles.includes(role)) return 'forbidden';
  return audience.isConfirmed ? 'confirm' : 'allowed';
}
