import type { EndpointView } from '../../../contract/staff/endpoint.ts';
import { maskNumbers } from '../../../shared/mask-numbers.ts';
import type { StaffDeps } from '../../staff/operation.ts';
import { changeEndpoint, showEndpoint } from '../../staff/operations/endpoints.ts';
import { type ConsoleRoute, defineRoute, type PageContent, statusOf } from '../define-route.ts';
import { Message } from '../page.tsx';
import { Back, noEndpoint } from './parts.tsx';

/** Returns the routes that change the address of an endpoint, with the checks of a new one. */
export function endpointAddressRoutes(operations: StaffDeps): ConsoleRoute[] {
  return [
    defineRoute('GET /endpoints/:id/address', async ({ c, person, show }) => {
      const shown = await showEndpoint(operations, { actor: person, id: c.req.param('id') ?? '' });
      return show(shown.ok ? addressPage(shown.value) : noEndpoint);
    }),
    defineRoute('POST /endpoints/:id/address', async ({ c, person, fields, show }) => {
      const id = c.req.param('id') ?? '';
      const input = { url: fields.url?.trim() };
      const answer = await changeEndpoint(operations, { actor: person, id, input });
      if (answer.ok) return c.redirect(`/console/endpoints/${id}`, 303);
      const shown = await showEndpoint(operations, { actor: person, id });
      if (!shown.ok) return show(noEndpoint);
      const refused = { message: answer.message, url: input.url ?? '' };
      return show({ ...addressPage(shown.value, refused), status: statusOf(answer) });
    }),
  ];
}

function addressPage(endpoint: EndpointView, refused?: { message: string; url: string }): PageContent {
  const { id, url } = endpoint;
  const masked = maskNumbers(url);
  const body = (
    <>
      <Message text={refused?.message} />
      <section class="card">
        <form method="post" action={`/console/endpoints/${id}/address`}>
          <p>The address now: {masked}</p>
          <label for="url">New address</label>
          <input
            id="url"
            name="url"
            type="url"
            required
            maxlength={500}
            value={maskNumbers(refused?.url ?? (masked === url ? url : ''))}
            placeholder="https://shop.example/hooks"
            autocomplete="off"
          />
          <button type="submit">Change the address</button>
        </form>
      </section>
      <p>
        Notifications that wait go to the new address with their next attempt, and so does every later one.
        What the address before has accepted is not sent again: send it by a replay. The secret stays the
        same.
      </p>
      <Back path={`/console/endpoints/${id}`} text="The endpoint" />
    </>
  );
  return { title: 'Change the address', body };
}
