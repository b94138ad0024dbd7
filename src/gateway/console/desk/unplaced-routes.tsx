import type { Clock } from '../../../shared/clock.ts';
import type { Person } from '../../access/actor.ts';
import type { StaffDeps } from '../../staff/operation.ts';
import { assignUnplaced } from '../../staff/operations/assign.ts';
import { proposeUnplaced } from '../../staff/operations/propose-unplaced.ts';
import { showUnplaced } from '../../staff/operations/read-unplaced.ts';
import {
  type ConsoleCall,
  type ConsoleRoute,
  defineRoute,
  type Fields,
  type PageContent,
  statusOf,
} from '../define-route.ts';
import { queryOf } from '../list/filter.ts';
import { isPrivateTerm } from '../list/private-term.ts';
import { Message } from '../page.tsx';
import { noPage, pageRows } from '../pages/paging.tsx';
import type { ConsoleReader } from '../reads.ts';
import { mayUse } from '../roles.ts';
import { scopeOf } from '../scope.ts';
import { unplacedListPage } from './unplaced-list.tsx';
import { unplacedDetailPage } from './unplaced-page.tsx';

/** A form that was refused, with what the person typed. */
type Refused = { message: string; typed: Fields };

export type UnplacedDeps = {
  operations: StaffDeps;
  reader: ConsoleReader;
  clock: Pick<Clock, 'now'>;
};

const maxTerm = 200;

const privateTerm: PageContent = {
  title: 'Unplaced money',
  status: 422,
  body: (
    <Message text="The address has a number, which does not belong there. Enter it in the search box instead." />
  ),
};

/** Returns the name of a person who can take unplaced money; undefined for one who only reads. */
function takerOf({ name, role }: Person): string | undefined {
  return mayUse(role, 'POST /unplaced/:id/assign') ? name : undefined;
}

/** Returns the routes of money that no payment explains: the list, one of it, and a proposal about it. */
export function unplacedRoutes({ operations, reader, clock }: UnplacedDeps): ConsoleRoute[] {
  async function detailPage(person: Person, id: string, refused?: Refused): Promise<PageContent> {
    const answer = await showUnplaced(operations, { actor: person, id });
    if (!answer.ok)
      return { title: 'No such money', body: <Message text={answer.message} />, status: statusOf(answer) };
    const canPropose = mayUse(person.role, 'POST /unplaced/:id/proposals');
    const detail = answer.value;
    const takenBy = await reader.by(person).unplacedTaker(id);
    const taker = takerOf(person);
    return unplacedDetailPage({ detail, now: clock.now(), canPropose, takenBy, taker, ...refused });
  }

  async function showList(
    person: Person,
    show: ConsoleCall<Person>['show'],
    { term, after }: { term: string | undefined; after?: string | undefined },
  ) {
    const { livemode } = operations;
    const found = await reader.by(person).unplaced({
      ...{ livemode, term, limit: pageRows, after },
      lastFour: scopeOf(person).lastFour ?? false,
    });
    if (found === 'unknown_cursor') return show(noPage);
    const taker = takerOf(person);
    return show(unplacedListPage({ found, term, now: clock.now(), taker }));
  }

  /** Returns the id of the payment that a person chose or typed; undefined unless exactly one has it. */
  async function chosenPayment(
    person: Person,
    { collectionId = '', other = '' }: Fields,
  ): Promise<string | undefined> {
    const typed = other.trim();
    if (typed === '') return collectionId;
    const found = await reader.by(person).named(scopeOf(person), typed, { limit: 2 });
    const [only, second] = found === 'unknown_cursor' ? [] : found.data;
    return second ? undefined : only?.id;
  }

  return [
    defineRoute('GET /unplaced', ({ c, person, show }) => {
      const { q = '', after } = c.req.query();
      if (isPrivateTerm(q)) return show(privateTerm);
      return showList(person, show, { term: q.trim() || undefined, after });
    }),
    // A number that was typed stands in no address.
    defineRoute('POST /unplaced/search', ({ c, person, fields, show }) => {
      const term = (fields.q ?? '').trim().slice(0, maxTerm);
      if (!isPrivateTerm(term)) return c.redirect(`/console/unplaced${queryOf({ q: term })}`, 303);
      return showList(person, show, { term });
    }),
    defineRoute('GET /unplaced/:id', async ({ c, person, show }) =>
      show(await detailPage(person, c.req.param('id') ?? '')),
    ),
    defineRoute('POST /unplaced/:id/assign', async ({ c, person, fields, show }) => {
      const id = c.req.param('id') ?? '';
      const answer = await assignUnplaced(operations, {
        actor: person,
        id,
        input: { to: fields.to || null },
      });
      if (answer.ok) return c.redirect(`/console/unplaced/${id}`, 303);
      const page = await detailPage(person, id, { message: answer.message, typed: fields });
      return show({ ...page, status: statusOf(answer) });
    }),
    defineRoute('POST /unplaced/:id/proposals', async ({ c, person, fields, show }) => {
      const id = c.req.param('id') ?? '';
      const { outcome = '', evidence = '', reference = '', version = '' } = fields;
      const collectionId = outcome === 'match' ? await chosenPayment(person, fields) : undefined;
      if (outcome === 'match' && !collectionId) {
        const message = 'Choose a payment: its id or short reference finds exactly one.';
        return show({ ...(await detailPage(person, id, { message, typed: fields })), status: 422 });
      }
      const input = {
        ...{ outcome, evidence, version: Number(version) },
        ...(reference && { reference }),
        ...(collectionId && { collectionId }),
      };
      const answer = await proposeUnplaced(operations, { actor: person, id, input });
      if (answer.ok) return c.redirect(`/console/proposals/${answer.value.id}`, 303);
      const page = await detailPage(person, id, { message: answer.message, typed: fields });
      return show({ ...page, status: statusOf(answer) });
    }),
  ];
}
