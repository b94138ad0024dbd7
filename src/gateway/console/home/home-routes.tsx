import type { Clock } from '../../../shared/clock.ts';
import type { Person } from '../../access/actor.ts';
import type { StaffDeps } from '../../staff/operation.ts';
import { listNewDeciders } from '../../staff/operations/accounts.ts';
import { type ConsoleRoute, defineRoute } from '../define-route.ts';
import type { WorkKind } from '../desk/desk-query.ts';
import type { ConsoleReader, ConsoleReads } from '../reads.ts';
import { hasHome, mayUse, type RouteName } from '../roles.ts';
import { alertsOf, type GatewayCondition } from './alerts.ts';
import { homePage, type NeedCard } from './home-page.tsx';
import type { Needs } from './needs-query.ts';

export type HomeDeps = {
  reader: ConsoleReader;
  clock: Pick<Clock, 'now'>;
  livemode: 0 | 1;
  merchantIds(): readonly string[];
  operations: StaffDeps;
  condition(): Promise<GatewayCondition>;
};

/** Returns the route of the start page. People of a merchant start with their payments. */
export function homeRoute({
  reader,
  clock,
  livemode,
  merchantIds,
  operations,
  condition,
}: HomeDeps): ConsoleRoute {
  return defineRoute('GET /', async ({ c, person, show }) => {
    if (!hasHome(person.role)) return c.redirect('/console/payments', 303);
    const now = clock.now();
    const needs = await reader.by(person).needs({ name: person.name, livemode, now });
    const days = mayUse(person.role, 'POST /days/:id/close')
      ? await reader.by(person).unclosedDays({ livemode, now, merchantIds: merchantIds() })
      : null;
    const deciders = await listNewDeciders(operations, { actor: person });
    const cards = cardsOf(person, needs, { days, newDeciders: deciders.ok ? deciders.value.total : 0 });
    const mentions = await reader.by(person).mentions(person.accountId, now);
    return show(homePage({ alerts: alertsOf(await condition()), cards, mentions, now }));
  });
}

/** Null where no one closes days, and for people who do not. */
type UnclosedDays = Awaited<ReturnType<ConsoleReads['unclosedDays']>>;

/** Returns the work of a person: whatever has a page that the person may use. */
function cardsOf(
  { role }: Pick<Person, 'role'>,
  needs: Needs,
  { days, newDeciders }: { days: UnclosedDays; newDeciders: number },
): NeedCard[] {
  const { reviews, proposals, unplaced, overdue, endpoints } = needs;
  const desk = (kind: WorkKind) => ({ route: 'GET /desk', href: `/console/desk?kind=${kind}` }) as const;
  const prices = { noun: 'payment', sum: 'is the sum of the prices' };
  const cards: (NeedCard & { for?: RouteName })[] = [
    { title: 'To decide', waiting: reviews, ...prices, ...desk('reviews') },
    {
      ...{ title: 'Proposals to approve', noun: 'proposal', waiting: proposals, sum: 'is proposed about' },
      ...{ route: 'GET /desk', for: 'POST /proposals/:id/approve' },
    },
    ...(newDeciders === 0
      ? []
      : [
          {
            title: 'New people who decide',
            noun: 'account',
            waiting: { count: newDeciders, oldestAt: null, sumMinor: 0 },
            route: 'GET /deciders',
          } as const,
        ]),
    {
      ...{ title: 'Unplaced money', waiting: unplaced, noun: 'payment', sum: 'is in suspense' },
      route: 'GET /unplaced',
    },
    { title: 'Waiting too long', waiting: overdue, ...prices, ...desk('overdue') },
    ...(days === null
      ? []
      : [
          {
            title: 'Days not closed',
            noun: 'day',
            waiting: { ...days, sumMinor: 0 },
            route: 'GET /days',
          } as const,
        ]),
    { title: 'Notifications failing', noun: 'endpoint', waiting: endpoints, route: 'GET /endpoints' },
  ];
  return cards.filter((card) => mayUse(role, card.for ?? card.route));
}
