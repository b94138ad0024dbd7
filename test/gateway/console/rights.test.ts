import { expect, test } from 'vitest';
import { accountRoles } from '../../../src/contract/staff/account.ts';
import { roleHas } from '../../../src/gateway/access/permissions.ts';
import { consoleRoutes } from '../../../src/gateway/console/pages.ts';

/** Every route by the roles that reach it. `confirmed`: after the password and a code within five minutes. */
const expected = {
  everyone: ['GET /assets/:name', 'GET /first-use', 'GET /sign-in', 'POST /first-use', 'POST /sign-in'],
  setup: ['GET /set-up', 'POST /set-up'],
  'agent lead finance auditor admin merchant': [
    'GET /',
    'GET /confirm',
    'GET /me',
    'POST /confirm',
    'POST /me/sessions/:id/end',
    'POST /me/sessions/end',
    'POST /sign-out',
  ],
  'agent lead finance auditor admin merchant confirmed': [
    'GET /me/authenticator',
    'GET /me/passkeys',
    'POST /me/authenticator',
    'POST /me/authenticator/new',
    'POST /me/passkeys',
    'POST /me/passkeys/:id/remove',
    'POST /me/password',
    'POST /me/recovery-codes',
  ],
  'agent lead finance auditor merchant': [
    'GET /days',
    'GET /days/:id',
    'GET /export.csv',
    'GET /menu',
    'GET /payments',
    'GET /payments/:id',
    'GET /payments/:id/dialler',
    'GET /payments/:id/live',
    'GET /payments/:id/payer',
    'GET /search',
    'POST /search',
    'POST /views',
    'POST /views/:id/remove',
  ],
  'agent lead finance auditor': [
    'GET /abuse',
    'GET /abuse/:id',
    'GET /days/:id/bookings',
    'GET /days/:id/bookings.csv',
    'GET /desk',
    'GET /dialogues',
    'GET /dialogues/:id',
    'GET /dialogues/:id/caller',
    'GET /events/:id',
    'GET /proposals',
    'GET /proposals/:id',
    'GET /unplaced',
    'GET /unplaced/:id',
    'POST /unplaced/search',
  ],
  'agent lead finance': [
    'POST /abuse/blocks',
    'POST /abuse/blocks/:id/remove',
    'POST /payments/:id/assign',
    'POST /payments/:id/block',
    'POST /payments/:id/check',
    'POST /payments/:id/notes',
    'POST /payments/:id/proposals',
    'POST /payments/:id/resend',
    'POST /payments/:id/reveal',
    'POST /payments/:id/unblock',
    'POST /proposals/:id/withdraw',
    'POST /unplaced/:id/assign',
    'POST /unplaced/:id/proposals',
  ],
  'lead finance': ['GET /deciders', 'POST /proposals/:id/refuse'],
  'lead finance confirmed': [
    'GET /days/:id/export',
    'GET /export',
    'POST /days/:id/export',
    'POST /deciders/:id/accept',
    'POST /export',
    'POST /proposals/:id/approve',
  ],
  finance: [
    'GET /days/:id/close',
    'POST /days/:id/close',
    'POST /days/:id/differences',
    'POST /days/:id/statement',
  ],
  'lead finance auditor admin': ['GET /audit', 'GET /audit.csv'],
  'lead finance auditor admin merchant': ['GET /deliveries', 'GET /endpoints', 'GET /endpoints/:id'],
  'auditor admin merchant': ['GET /keys'],
  'admin merchant': [
    'GET /endpoints/:id/disable',
    'GET /endpoints/:id/remove',
    'GET /endpoints/:id/rotate',
    'GET /keys/:id/revoke',
    'POST /endpoints/:id/disable',
    'POST /endpoints/:id/enable',
    'POST /endpoints/:id/remove',
    'POST /endpoints/:id/replay',
    'POST /endpoints/:id/resend',
    'POST /endpoints/:id/test',
    'POST /keys/:id/revoke',
  ],
  'admin merchant confirmed': [
    'GET /endpoints/:id/address',
    'GET /endpoints/new',
    'GET /keys/new',
    'POST /endpoints',
    'POST /endpoints/:id/address',
    'POST /endpoints/:id/rotate',
    'POST /keys',
  ],
  'agent lead finance auditor admin': [
    'GET /me/alerts',
    'POST /me/alerts/prove',
    'POST /me/alerts/remove',
    'POST /me/alerts/test',
  ],
  'agent lead finance auditor admin confirmed': ['GET /me/tokens', 'POST /me/alerts', 'POST /me/tokens'],
  admin: ['GET /staff', 'GET /staff/:id/disable', 'GET /staff/:id/reset'],
  'admin confirmed': [
    'POST /staff',
    'POST /staff/:id/disable',
    'POST /staff/:id/enable',
    'POST /staff/:id/reset',
    'POST /staff/:id/role',
  ],
};

test('each role reaches exactly these routes', () => {
  const found: Record<string, string[]> = {};
  for (const { name, audience } of consoleRoutes) {
    const who =
      typeof audience === 'string'
        ? audience
        : [
            ...accountRoles.filter((role) => roleHas(role, audience.needs)),
            ...(audience.isConfirmed ? ['confirmed'] : []),
          ].join(' ');
    found[who] = [...(found[who] ?? []), name].sort();
  }
  expect(found).toEqual(expected);
});

test('every route is declared once, and only pages are in the menu', () => {
  const names = consoleRoutes.map(({ name }) => name);
  expect(names).toEqual([...new Set(names)]);
  const linked = consoleRoutes.filter(({ audience }) => typeof audience === 'object' && audience.menu);
  expect(linked.map(({ name }) => name).filter((name) => !/^GET \/[a-z]*$/.test(name))).toEqual([]);
});
