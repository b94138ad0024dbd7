import type { AccountView } from '../../contract/staff/account.ts';
import type { Person } from '../access/actor.ts';
import { acceptDecider, listNewDeciders } from '../staff/operations/accounts.ts';
import { type ConsoleContext, defineRoute, getStatus, type PageContent } from './define-route.ts';
import { showIsoTime } from './parts/format.ts';
import { Message, PostButton } from './parts/forms.tsx';
import { Table } from './parts/table.tsx';

const confirmed = { needs: 'proposals.decide', isConfirmed: true } as const;

/** The routes of the people whose right to decide about money is new, and of accepting them. */
export const decidersRoutes = [
  defineRoute('GET /deciders', { needs: 'proposals.decide' }, async ({ person, show }, context) =>
    show(await page(context, person)),
  ),
  defineRoute('POST /deciders/:id/accept', confirmed, async ({ c, id, person, show }, context) => {
    const answer = await acceptDecider(context.operations, { actor: person, id });
    if (answer.ok) return c.redirect('/console/deciders', 303);
    return show({ ...(await page(context, person, answer.message)), status: getStatus(answer) });
  }),
];

async function page({ operations }: ConsoleContext, actor: Person, message?: string): Promise<PageContent> {
  const found = await listNewDeciders(operations, { actor });
  return decidersPage(found.ok ? found.value.data : [], actor, message);
}

function decidersPage(people: readonly AccountView[], { name: own }: Person, message?: string): PageContent {
  const body = (
    <>
      <Message text={message} />
      <p>
        These people may decide about money soon, because an account was added, reset or given another role.
        Ask each of them in person before you accept. If nobody accepts, the right holds from the time below.
      </p>
      <Table
        label="People"
        caption="People whose right to decide about money is new"
        columns={[
          ['Name', ({ name }) => name],
          ['Role', ({ role }) => role],
          ['Decides from (UTC)', ({ decidesFrom }) => decidesFrom && showIsoTime(decidesFrom)],
          [
            'Action',
            ({ name }) =>
              name === own ? (
                'Another person accepts you.'
              ) : (
                <PostButton
                  action={`/console/deciders/${name}/accept`}
                  text="Accept"
                  label={`Accept ${name}`}
                />
              ),
          ],
        ]}
        hasRowHeads
        rows={people}
        empty={<p>Nobody waits.</p>}
      />
    </>
  );
  return { title: 'New people who decide', body };
}
