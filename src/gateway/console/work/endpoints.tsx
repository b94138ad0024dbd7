import { endpointList } from '../../../contract/endpoint.ts';
import { type ConsoleRoute, defineRoute, type PageContent } from '../define-route.ts';
import { Message } from '../page.tsx';
import { mayUse } from '../roles.ts';
import type { WorkDeps } from './lists.tsx';
import { operate, statusOf } from './operate.ts';

/** Returns the routes of the addresses where systems of merchants are notified. */
export function endpointRoutes({ operations }: WorkDeps): ConsoleRoute[] {
  return [
    defineRoute('GET /endpoints', async ({ person, show }) => {
      const answer = await operate(operations, 'GET /endpoints', { actor: person.name, id: '', input: {} });
      if (!answer.ok) return show({ title: 'Endpoints', body: <p>{answer.message}</p> });
      return show(
        endpointsPage(endpointList.parse(answer.value), mayUse(person.role, 'POST /endpoints/:id/test')),
      );
    }),
    ...(['test', 'enable'] as const).map((action) =>
      defineRoute(`POST /endpoints/:id/${action}`, async ({ c, person, show }) => {
        const call = { actor: person.name, id: c.req.param('id') ?? '', input: {} };
        const answer = await operate(operations, `POST /endpoints/:id/${action}`, call);
        if (answer.ok) return c.redirect('/console/endpoints', 303);
        const body = <Message text={answer.message} />;
        return show({ title: 'Endpoints', body, status: statusOf(answer) });
      }),
    ),
  ];
}

function endpointsPage({ data }: ReturnType<typeof endpointList.parse>, mayChange: boolean): PageContent {
  const body =
    data.length === 0 ? (
      <p>No system of a merchant is notified.</p>
    ) : (
      <section class="wide" aria-label="Endpoints" tabindex={0}>
        <table>
          <caption>Where systems of merchants are notified</caption>
          <thead>
            <tr>
              <th scope="col">Merchant</th>
              <th scope="col">Address</th>
              <th scope="col">State</th>
              <th scope="col">Since</th>
              {mayChange && <th scope="col">Action</th>}
            </tr>
          </thead>
          <tbody>
            {data.map((row) => {
              const action = row.state === 'disabled' ? 'enable' : 'test';
              return (
                <tr>
                  <td>{row.merchantId}</td>
                  <td>{row.url}</td>
                  <td>{row.disabledReason === null ? row.state : `${row.state} (${row.disabledReason})`}</td>
                  <td>{row.disabledAt ?? row.failingSince ?? row.createdAt}</td>
                  {mayChange && (
                    <td>
                      <form method="post" action={`/console/endpoints/${row.id}/${action}`}>
                        <button type="submit">{action === 'enable' ? 'Enable' : 'Send a test'}</button>
                      </form>
                    </td>
                  )}
                </tr>
              );
            })}
          </tbody>
        </table>
      </section>
    );
  return { title: 'Endpoints', body };
}
