import type { Context } from 'hono';
import type { EpochMs } from '../../shared/clock.ts';
import { showClock } from './parts/format.ts';
import { FormBehind, TextInput } from './parts/forms.tsx';
import type { NumberView } from './scope.ts';

/** Browsers without the script load the page again this much later, in seconds, so that those with it keep what a person types. */
const noScriptSeconds = 2;

/** Lets a browser load a page with whole numbers again when their time has ended. */
export function loadWhenMasked(c: Context, { until }: NumberView, now: EpochMs): void {
  if (until !== undefined) c.header('refresh', String(Math.ceil((until - now) / 1_000) + noScriptSeconds));
}

/** Lets the script load a page with whole numbers again when their time has ended, and keep what a person has typed. */
export function MaskedAgain({ numbers: { until }, now }: { numbers: NumberView; now: EpochMs }) {
  return until === undefined ? null : <span hidden data-masked-after={until - now} />;
}

type RevealProps = { id: string; until: EpochMs | undefined; timeZone: string };

/** The form that reveals the numbers of a payment, or the time until which they are whole. */
export function Reveal({ id, until, timeZone }: RevealProps) {
  if (until !== undefined)
    return (
      <p class="small">
        You see the whole numbers until{' '}
        <time datetime={new Date(until).toISOString()}>{showClock(until, timeZone)}</time>. Then this page
        masks them again.
      </p>
    );
  return (
    <FormBehind text="Show whole numbers" icon="eye" kind="quiet">
      <form class="form" method="post" action={`/console/payments/${id}/reveal`}>
        <TextInput
          id="reason"
          label="Reason to see the whole numbers"
          required
          hint="Shown for 5 minutes. The reason and your name stand in the audit."
        />
        <button type="submit">Show for 5 minutes</button>
      </form>
    </FormBehind>
  );
}
