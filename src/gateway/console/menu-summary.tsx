import type { Insights } from '../../contract/merchant/insights.ts';
import { plural } from '../../shared/plural.ts';
import { dayMs } from '../ledger/day.ts';
import { Figure, splitShare } from './home-figures.tsx';
import { comparePercent, comparePoints, showCount } from './parts/charts.tsx';

/** The dialogues of some days, and what came of them, beside the days before. */
export function Summary({
  figures: { dialogues, payments, compared_with: before, from, to },
  hasPayments,
}: {
  figures: Insights;
  /** False for one language: payments have none. */
  hasPayments: boolean;
}) {
  const days = Math.round((Date.parse(to) - Date.parse(from)) / dayMs) + 1;
  const earlier = days === 1 ? 'on this weekday a week before' : `in the ${days} days before`;
  const difference = comparePercent(dialogues.begun, before.dialogues.begun, 'many');
  const share = (part: number, all: number) => (all === 0 ? null : part / all);
  const confirmed = share(dialogues.opened, dialogues.begun);
  const paid = share(Math.min(payments.paid, dialogues.opened), dialogues.begun);
  const compare = (now: number | null, then: number | null) =>
    comparePoints(now, then)?.replace(/ than$/, '');
  const moreConfirmed = compare(confirmed, share(before.dialogues.opened, before.dialogues.begun));
  const morePaid = compare(
    paid,
    share(Math.min(before.payments.paid, before.dialogues.opened), before.dialogues.begun),
  );
  return (
    <section class="figures" aria-label="Summary">
      <Figure id="dialogues" title="Dialogues" value={showCount(dialogues.begun)}>
        <p class="small">{difference === null ? `None ${earlier}` : `${difference} ${earlier}`}</p>
      </Figure>
      <Figure id="confirmed" title="Confirmed" {...splitShare(confirmed)}>
        <p class="small">
          {plural(dialogues.opened, 'dialogue')}. <b>{moreConfirmed}</b>
        </p>
      </Figure>
      {hasPayments && (
        <Figure id="paid" title="Paid" {...splitShare(paid)}>
          <p class="small">
            {plural(payments.paid, 'payment')}. <b>{morePaid}</b>
          </p>
        </Figure>
      )}
      <Figure
        id="time"
        title="Time to confirm"
        value={dialogues.seconds_to_open ?? '–'}
        after={dialogues.seconds_to_open === null ? undefined : 's'}
      >
        {dialogues.slowest_tenth_seconds !== null && (
          <p class="small">Median. One in ten needs more than {dialogues.slowest_tenth_seconds} s</p>
        )}
      </Figure>
    </section>
  );
}
