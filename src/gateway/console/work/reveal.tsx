import type { EpochMs } from '../../../shared/clock.ts';
import type { StaffDeps } from '../../staff/operation.ts';
import { reveal } from '../../staff/operations/reveal.ts';
import { type ConsoleRoute, defineRoute, statusOf } from '../define-route.ts';
import { Message } from '../page.tsx';
import { showTime } from '../pages/format.ts';

/** Returns the route that shows the whole numbers of a payment to the session of the person for some minutes. */
export function revealRoute(operations: StaffDeps): ConsoleRoute {
  return defineRoute('POST /payments/:id/reveal', async ({ c, person, fields, show }) => {
    const id = c.req.param('id') ?? '';
    const input = { reason: fields.reason, session: person.session.id };
    const answer = await reveal(operations, { actor: person, id, input });
    if (answer.ok) return c.redirect(`/console/payments/${id}`, 303);
    const body = <Message text={answer.message} />;
    return show({ title: 'The numbers stay masked', body, status: statusOf(answer) });
  });
}

/** The form that reveals the numbers of a payment, or the time until which they are whole. */
export function Reveal({ id, until }: { id: string; until: EpochMs | undefined }) {
  return (
    <section class="card" aria-labelledby="numbers">
      <h2 id="numbers">Phone numbers</h2>
      {until === undefined ? (
        <form method="post" action={`/console/payments/${id}/reveal`}>
          <label for="reason">Reason to see the whole numbers</label>
          <input id="reason" name="reason" maxlength={1_000} required autocomplete="off" />
          <button type="submit">Show for 5 minutes</button>
          <small>The reason and your name stand in the timeline and in the audit.</small>
        </form>
      ) : (
        <p>
          You see the whole numbers until{' '}
          <time datetime={new Date(until).toISOString()}>{showTime(until).slice(11)}</time> UTC. Then this
          page masks them again.
        </p>
      )}
    </section>
  );
}
