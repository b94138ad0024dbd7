import type { AccountView } from '../../../contract/staff/account.ts';
import type { Person } from '../../access/actor.ts';
import type { StaffDeps } from '../../staff/operation.ts';
import { acceptDecider, listNewDeciders } from '../../staff/operations/accounts.ts';
import { type ConsoleRoute, defineRoute, type PageContent, statusOf } from '../define-route.ts';
import { Message } from '../page.tsx';
import { DataTable } from '../pages/data-table.tsx';
import { showIsoTime } from '../pages/format.ts';

/** Routes of the people whose right to decide about money is new, and of accepting them. */
export function deciderRoutes(operations: StaffDeps): ConsoleRoute[] {
  async function page(actor: Person, message?: string): Promise<PageContent> {
    const found = await listNewDeciders(operations, { actor });
    return decidersPage(found.ok ? found.value.data : [], actor, message);
  }
  return [
    defineRoute('GET /deciders', async ({ person, show }) => show(await page(person))),
    defineRoute('POST /deciders/:id/accept', async ({ c, person, show }) => {
      const answer = await acceptDecider(operations, { actor: person, id: c.req.param('id') ?? '' });
      if (answer.ok) return c.redirect('/console/deciders', 303);
      return show({ ...(await page(person, answer.message)), status: statusOf(answer) });
    }),
  ];
}

function decidersPage(people: readonly AccountView[], { name: own }: Person, message?: string): PageContent {
  const body = (
    <>
      <Message text={message} />
      <p>
        These people may decide about money soon, because an account was added, reset or given another role.
        Ask each of them in person before you accept. If nobody accepts, the right holds from the time below.
      </p>
      {people.length === 0 ? (
        <p>Nobody waits.</p>
      ) : (
        <DataTable
          label="People"
          caption="People whose right to decide about money is new"
          columns={['Name', 'Role', 'Decides from (UTC)', 'Action']}
          hasRowHeads
          rows={people.map(({ name, role, decidesFrom }) => [
            name,
            role,
            decidesFrom === null ? '' : showIsoTime(decidesFrom),
            name === own ? (
              'Another person accepts you.'
            ) : (
              <form method="post" action={`/console/deciders/${name}/accept`}>
                <button type="submit" aria-label={`Accept ${name}`}>
                  Accept
                </button>
              </form>
            ),
          ])}
        />
      )}
    </>
  );
  return { title: 'New people who decide', body };
}
