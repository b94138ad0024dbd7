import { proposalView } from '../../../contract/review.ts';
import { unplacedDetail } from '../../../contract/unplaced.ts';
import type { Clock } from '../../../shared/clock.ts';
import type { Person } from '../../accounts/session.ts';
import type { StaffDeps } from '../../staff/operation.ts';
import { allMerchants } from '../../support/scope.ts';
import { type ConsoleRoute, defineRoute, type Fields, type PageContent } from '../define-route.ts';
import { Message } from '../page.tsx';
import type { ConsoleReader } from '../reader.ts';
import { mayUse } from '../roles.ts';
import { operate, statusOf } from '../work/operate.ts';
import { noPage, pageRows } from '../work/page-parts.tsx';
import { unplacedListPage } from './unplaced-list.tsx';
import { unplacedDetailPage } from './unplaced-page.tsx';

/** A form that was refused, with what the person typed. */
type Refused = { message: string; typed: Fields };

export type UnplacedDeps = {
  operations: StaffDeps;
  reader: Pick<ConsoleReader, 'named'>;
  clock: Pick<Clock, 'now'>;
};

/** Returns the routes of money that no payment explains: the list, one of it, and a proposal about it. */
export function unplacedRoutes({ operations, reader, clock }: UnplacedDeps): ConsoleRoute[] {
  async function detailPage(person: Person, id: string, refused?: Refused): Promise<PageContent> {
    const answer = await operate(operations, 'GET /unplaced/:id', { actor: person.name, id, input: {} });
    if (!answer.ok)
      return { title: 'No such money', body: <Message text={answer.message} />, status: statusOf(answer) };
    const canPropose = mayUse(person.role, 'POST /unplaced/:id/proposals');
    const detail = unplacedDetail.parse(answer.value);
    return unplacedDetailPage({ detail, now: clock.now(), canPropose, ...refused });
  }

  /** Returns the id of the payment that a person chose or typed; undefined unless exactly one has it. */
  async function chosenPayment({ collectionId = '', other = '' }: Fields): Promise<string | undefined> {
    const typed = other.trim();
    if (typed === '') return collectionId;
    const found = await reader.named(allMerchants, typed, { limit: 2 });
    const [only, second] = found === 'unknown_cursor' ? [] : found.data;
    return second ? undefined : only?.id;
  }

  return [
    defineRoute('GET /unplaced', async ({ c, show }) => {
      const page = { limit: pageRows, after: c.req.query('after') };
      const filter = { state: 'open', livemode: operations.livemode } as const;
      const found = await operations.unplacedLists.list(filter, page);
      return show(found === 'unknown_cursor' ? noPage : unplacedListPage(found, clock.now()));
    }),
    defineRoute('GET /unplaced/:id', async ({ c, person, show }) =>
      show(await detailPage(person, c.req.param('id') ?? '')),
    ),
    defineRoute('POST /unplaced/:id/proposals', async ({ c, person, fields, show }) => {
      const id = c.req.param('id') ?? '';
      const { outcome = '', evidence = '', reference = '', version = '' } = fields;
      const collectionId = outcome === 'match' ? await chosenPayment(fields) : undefined;
      if (outcome === 'match' && !collectionId) {
        const message = 'Choose a payment: its id or short reference finds exactly one.';
        return show({ ...(await detailPage(person, id, { message, typed: fields })), status: 422 });
      }
      const input = {
        ...{ outcome, evidence, version: Number(version) },
        ...(reference && { reference }),
        ...(collectionId && { collectionId }),
      };
      const call = { actor: person.name, id, input };
      const answer = await operate(operations, 'POST /unplaced/:id/proposals', call);
      if (answer.ok) return c.redirect(`/console/proposals/${proposalView.parse(answer.value).id}`, 303);
      const page = await detailPage(person, id, { message: answer.message, typed: fields });
      return show({ ...page, status: statusOf(answer) });
    }),
  ];
}
