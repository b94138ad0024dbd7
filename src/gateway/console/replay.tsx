import type { StaffCall, StaffDeps } from '../staff/operation.ts';
import { replayNotifications, resend } from '../staff/operations/deliveries.ts';
import { defineForm, type FormInput, type PageContent } from './define-route.ts';
import { refusedPage } from './endpoints.tsx';
import { Card, Flash } from './parts/card.tsx';
import { Back, Submit } from './parts/forms.tsx';

const dayMs = 24 * 3_600_000;

/** Calls of one request: 50 payments each. A longer range is continued by the person. */
const maxCalls = 20;

/** The routes that send notifications again: one, or those of a range of days. */
export const replayRoutes = [
  defineForm('POST /endpoints/:id/resend', {
    result: 'It is sent again. The next attempt stands with the others.',
    needs: 'endpoints.write',
    operate: resend,
    read: ({ event }) => ({ eventId: event }),
    done: (_, { id, fields }) =>
      fields.list === '1' ? `/console/deliveries?endpoint=${id}` : `/console/endpoints/${id}`,
    refused: refusedPage,
  }),
  defineForm('POST /endpoints/:id/replay', {
    needs: 'endpoints.write',
    operate: replayDays,
    read: (fields) => fields,
    done: (value, { id, fields }) => replayedPage(id, fields, value),
    refused: refusedPage,
  }),
];

/** Runs the calls of a replay until its range is complete, or until their bound. The input is the form. */
async function replayDays(operations: StaffDeps, { input: form, ...call }: StaffCall) {
  const fields = form as FormInput;
  const range = {
    ...{ from: toTime(fields.from ?? '', 0), to: toTime(fields.to ?? '', dayMs) },
    undelivered: fields.undelivered === '1',
  };
  let after: string | undefined = fields.after || undefined;
  let payments = 0;
  for (let calls = 0; calls < maxCalls; calls++) {
    const input = { ...range, ...(after === undefined ? {} : { after }) };
    const answer = await replayNotifications(operations, { ...call, input });
    if (!answer.ok) return answer;
    payments += answer.value.payments;
    after = answer.value.next ?? undefined;
    if (after === undefined) break;
  }
  return { ok: true, value: { payments, next: after } } as const;
}

/** Returns the begin of a day, or the end of it; the text itself when it is no day, for the message of the operation. */
function toTime(day: string, moreMs: number): string {
  const at = /^\d{4}-\d\d-\d\d$/.test(day) ? Date.parse(day) : Number.NaN;
  return Number.isNaN(at) ? day : new Date(at + moreMs).toISOString();
}

function replayedPage(
  id: string,
  { from = '', to = '', undelivered = '' }: FormInput,
  { payments, next }: { payments: number; next: string | undefined },
): PageContent {
  const body = (
    <>
      <Flash tone="good">
        The notifications of {payments} payments that were opened from {from} to {to} are queued.
      </Flash>
      {next !== undefined && (
        <form class="card narrow" method="post" action={`/console/endpoints/${id}/replay`}>
          <p>The range has more payments.</p>
          {Object.entries({ from, to, undelivered, after: next }).map(([name, value]) => (
            <input type="hidden" name={name} value={value} />
          ))}
          <p>
            <Submit>Continue with the next ones</Submit>
          </p>
        </form>
      )}
      <Back path={`/console/endpoints/${id}`} text="The endpoint" />
    </>
  );
  return { title: 'Replay', body };
}

export function ReplayForm({ id }: { id: string }) {
  return (
    <Card id="replay" title="Replay">
      <form method="post" action={`/console/endpoints/${id}/replay`}>
        <div class="fields">
          <div class="field">
            <label for="from">Payments opened from</label>
            <input id="from" name="from" type="date" required />
          </div>
          <div class="field">
            <label for="to">to, this day included</label>
            <input id="to" name="to" type="date" required />
          </div>
        </div>
        <label class="option">
          <input type="checkbox" name="undelivered" value="1" checked /> Only what was not delivered
        </label>
        <button type="submit">Send the notifications again</button>
        <small>
          At most 92 days. Each notification keeps its id, so that the system ignores what it has.
        </small>
      </form>
    </Card>
  );
}
