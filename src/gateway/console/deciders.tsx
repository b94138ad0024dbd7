import type { Person } from '../access/permissions.ts';
import { acceptDecider, listNewDeciders } from '../staff/operations/accounts.ts';
import { type ConsoleContext, defineConsoleRoute, defineForm, type PageContent } from './define-route.ts';
import { Empty } from './parts/card.tsx';
import { showIsoMoment } from './parts/format.ts';
import { PostButton } from './parts/forms.tsx';
import { Table } from './parts/table.tsx';

const needs = 'proposals.decide';

/** The routes of the people whose right to decide about money is new, and of accepting them. */
export const decidersRoutes = [
  defineConsoleRoute('GET /deciders', { needs }, async ({ person, show }, context) =>
    show(await decidersPage(context, person)),
  ),
  defineForm('POST /deciders/:id/accept', {
    needs,
    isConfirmed: true,
    result: 'Accepted. The person decides about money from now on.',
    operate: acceptDecider,
    done: () => '/console/deciders',
    refused: (_, { person }, context) => decidersPage(context, person),
  }),
];

async function decidersPage({ operations, clock }: ConsoleContext, actor: Person): Promise<PageContent> {
  const found = await listNewDeciders(operations, { actor });
  const body = (
    <>
      <p class="muted">
        These people may decide about money soon, because an account was added, reset, enabled or given
        another role. Ask each of them in person before you accept. Without that, the right holds from the
        time below.
      </p>
      <Table
        label="People"
        columns={[
          ['Name', ({ name }) => name],
          ['Role', ({ role }) => role],
          ['Decides from', ({ decidesFrom }) => decidesFrom && showIsoMoment(decidesFrom, clock.now())],
          [
            'Action',
            ({ name, state }) =>
              name === actor.name ? (
                'Another person accepts you.'
              ) : state === 'disabled' ? (
                'Disabled. The person waits again when the account is enabled.'
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
        rows={found.ok ? found.value.data : []}
        empty={
          <Empty icon="people" title="Nobody waits.">
            <p>People appear here when their right to decide about money is new.</p>
          </Empty>
        }
      />
    </>
  );
  return { title: 'New people who decide', body };
}
