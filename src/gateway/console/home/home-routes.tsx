import type { Clock } from '../../../shared/clock.ts';
import type { Person } from '../../accounts/session.ts';
import { type ConsoleRoute, defineRoute } from '../define-route.ts';
import type { ConsoleReader } from '../reader.ts';
import { hasHome, mayUse } from '../roles.ts';
import { alertsOf, type GatewayCondition } from './alerts.ts';
import { homePage, type NeedCard } from './home-page.tsx';
import type { Needs } from './needs-query.ts';

export type HomeDeps = {
  reader: Pick<ConsoleReader, 'needs'>;
  clock: Pick<Clock, 'now'>;
  livemode: 0 | 1;
  condition(): Promise<GatewayCondition>;
};

/** Returns the route of the start page. People of a merchant start with their payments. */
export function homeRoute({ reader, clock, livemode, condition }: HomeDeps): ConsoleRoute {
  return defineRoute('GET /', async ({ c, person, show }) => {
    if (!hasHome(person.role)) return c.redirect('/console/payments', 303);
    const now = clock.now();
    const needs = await reader.needs({ name: person.name, livemode, now });
    return show(homePage({ alerts: alertsOf(await condition()), cards: cardsOf(person, needs), now }));
  });
}

/** Returns the work of a person: whatever has a page that the person may use. */
function cardsOf({ role }: Pick<Person, 'role'>, needs: Needs): NeedCard[] {
  const { reviews, proposals, unplaced, overdue, endpoints } = needs;
  const toApprove: NeedCard = {
    title: 'Proposals to approve',
    noun: 'proposal',
    waiting: proposals,
    route: 'GET /reviews',
    sum: 'About',
  };
  const cards: NeedCard[] = [
    { title: 'To decide', noun: 'payment', waiting: reviews, route: 'GET /reviews', sum: 'Prices of' },
    ...(mayUse(role, 'POST /proposals/:id/approve') ? [toApprove] : []),
    {
      title: 'Unplaced money',
      noun: 'payment',
      waiting: unplaced,
      route: 'GET /unplaced',
      sum: 'In suspense',
    },
    {
      title: 'Waiting too long',
      noun: 'payment',
      waiting: overdue,
      route: 'GET /payments',
      sum: 'Prices of',
    },
    { title: 'Notifications failing', noun: 'endpoint', waiting: endpoints, route: 'GET /endpoints' },
  ];
  return cards.filter(({ route }) => mayUse(role, route));
}
