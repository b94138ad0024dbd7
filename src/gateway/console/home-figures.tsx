import type { Child } from 'hono/jsx';
import type { Insights } from '../../contract/merchant/insights.ts';
import type { EpochMs } from '../../shared/clock.ts';
import { nameNetwork } from '../../shared/msisdn.ts';
import { plural } from '../../shared/plural.ts';
import { formatTime } from '../../shared/time-text.ts';
import {
  AsTable,
  Bar,
  ChartKey,
  comparePercent,
  comparePoints,
  Plot,
  Spark,
  showCount,
  showShare,
} from './parts/charts.tsx';
import { nameZone, showAmount, showNumber, showSpan } from './parts/format.ts';
import { TableHead } from './parts/table.tsx';

type FiguresProps = {
  figures: Insights;
  now: EpochMs;
  /** The pages behind the figures; null where the person has none. */
  paths: { waiting: string; suspense: string | null };
  /** The sums without a payment among those in suspense; undefined where they are not known. */
  unplaced?: number | undefined;
};

/** The four figures that people compare each day. */
export function Figures({ figures, now, paths, unplaced }: FiguresProps) {
  const { payments, compared_with: before, days, now: present } = figures;
  const { waiting, suspense } = present;
  const sums = suspense.reduce((sum, one) => sum + one.sums, 0);
  const suspended = suspense.reduce((sum, one) => sum + one.amount_minor, 0);
  const oldest = suspense.map((one) => one.oldest_at).toSorted()[0];
  const weekday = getWeekday(figures);
  const curve = days.slice(0, -1);
  const paid = comparePercent(payments.charged_minor, before.payments.charged_minor);
  const success = comparePoints(payments.success_rate, before.payments.success_rate);
  const results = payments.paid + payments.not_paid;
  return (
    <section class="figures" aria-label="Today">
      <Figure id="paid" title="Paid today" unit="GHS" value={showNumber(payments.charged_minor)}>
        <Spark values={curve.map((one) => one.charged_minor)} />
        <p class="small">
          {paid === null ? (
            `Nothing was paid last ${weekday} until this time`
          ) : (
            <>
              <b>{paid}</b> last {weekday} at this time
            </>
          )}
        </p>
      </Figure>
      <Figure id="success" title="Success rate" {...splitShare(payments.success_rate)}>
        <Spark
          values={curve.map((one) =>
            one.paid + one.not_paid === 0 ? null : one.paid / (one.paid + one.not_paid),
          )}
        />
        <p class="small">
          {success !== null && (
            <>
              <b>{success}</b> last {weekday}.{' '}
            </>
          )}
          {showCount(payments.paid)} of {plural(results, 'payment')} with a result
        </p>
      </Figure>
      <Figure id="waiting" title="Waiting for a result" value={showCount(waiting.payments)}>
        {waiting.oldest_at !== null && (
          <p class="small">
            {showAmount(waiting.price_minor)}. The oldest waits{' '}
            <b>{showSpan(Math.max(0, now - Date.parse(waiting.oldest_at)))}</b>
          </p>
        )}
        {waiting.payments > 0 && (
          <p class="small">
            <a href={paths.waiting}>Show waiting payments</a>
          </p>
        )}
      </Figure>
      <Figure id="suspense" title="In suspense" unit="GHS" value={showNumber(suspended)}>
        {oldest !== undefined && (
          <p class="small">
            {plural(sums, 'sum')} of money{unplaced !== undefined && `, of which ${unplaced} unplaced`}. The
            oldest waits <b>{showSpan(Math.max(0, now - Date.parse(oldest)))}</b>
          </p>
        )}
        {paths.suspense !== null && sums > 0 && unplaced !== 0 && (
          <p class="small">
            <a href={paths.suspense}>Place the unplaced money</a>
          </p>
        )}
      </Figure>
    </section>
  );
}

type FigureProps = {
  id: string;
  title: string;
  unit?: string;
  value: Child;
  after?: string | undefined;
  children?: Child;
};

/** Returns a share as the value of a figure, and its unit. */
export function splitShare(share: number | null): Pick<FigureProps, 'value' | 'after'> {
  return { value: showShare(share).replace(/\u00a0%$/, ''), after: share === null ? undefined : '%' };
}

export function Figure({ id, title, unit, value, after, children }: FigureProps) {
  return (
    <div class="card tight" id={`figure-${id}`}>
      <h2>{title}</h2>
      <p>
        <span class="figure">
          {unit !== undefined && <small>{unit} </small>}
          {value}
          {after !== undefined && <small> {after}</small>}
        </span>
      </p>
      {children}
    </div>
  );
}

/** Returns the name of the day that is compared. */
function getWeekday({ compared_with: { from } }: Insights): string {
  return formatTime(Date.parse(from), 'en-GB', { weekday: 'long', timeZone: 'UTC' });
}

/** The payments of each hour of today, beside those of the same weekday. */
export function HoursChart({ figures }: { figures: Insights }) {
  const { hours, payments } = figures;
  const weekday = getWeekday(figures);
  const clock = (time: string) => time.slice(11, 16);
  const busiest = hours.toSorted((one, other) => other.paid - one.paid)[0];
  const before = hours.toSorted((one, other) => other.paid_before - one.paid_before)[0];
  const hasBefore = hours.some(({ paid_before }) => paid_before > 0);
  const begun = hours.findLastIndex(({ opened }) => opened > 0) + 1;
  const rows = hours
    .filter(({ paid_before }, at) => at < begun || paid_before > 0)
    .map((one) => [
      ...[clock(one.hour), showCount(one.paid), showCount(one.not_paid)],
      ...[showNumber(one.charged_minor), showCount(one.paid_before)],
    ]);
  return (
    <figure class="card">
      <figcaption>
        <h2>
          Payments per hour <small>{nameZone()}</small>
        </h2>
        <p class="muted small">
          {busiest && busiest.paid > 0
            ? `The busiest hour was ${clock(busiest.hour)} with ${showCount(busiest.paid)} paid.`
            : 'No payment was made today.'}{' '}
          {before &&
            before.paid_before > 0 &&
            `Last ${weekday} it was ${clock(before.hour)} with ${showCount(before.paid_before)}.`}
        </p>
      </figcaption>
      <Plot
        label={`Payments per hour today: ${payments.paid} paid and ${payments.not_paid} not paid. The table below has the numbers.`}
        bars={hours.map(({ paid, not_paid }) => [paid, not_paid] as const)}
        line={hasBefore ? hours.map(({ paid_before }) => paid_before) : undefined}
        labels={hours.filter((_, at) => at % 3 === 0).map(({ hour }) => hour.slice(11, 13))}
      />
      <ChartKey
        items={[
          ['s1', 'Paid'],
          ['s2', 'Not paid'],
          ...(hasBefore ? [['s3', `Paid last ${weekday}`] as const] : []),
        ]}
      />
      {rows.length > 0 && (
        <AsTable
          caption="Payments per hour"
          head={['Hour', 'Paid', 'Not paid', 'Paid, GHS', `Last ${weekday}`]}
          rows={rows}
        />
      )}
    </figure>
  );
}

export function SharesCard({ figures }: { figures: Insights }) {
  const { networks, channels } = figures;
  const weekday = getWeekday(figures);
  return (
    <section class="card" aria-labelledby="networks">
      <div>
        <h2 id="networks">Success by network</h2>
        <p class="muted small">
          {networks.length === 0
            ? 'No payment has a result today.'
            : 'Payments with a result today. The grey part was not paid.'}
        </p>
      </div>
      <Shares
        id="networks"
        name="Network"
        weekday={weekday}
        rows={networks.map((one) => [nameNetwork(one.network), one])}
      />
      {channels.length > 1 && (
        <>
          <h2 id="channels">Success by channel</h2>
          <Shares
            id="channels"
            name="Channel"
            weekday={weekday}
            rows={channels.map((one) => [one.channel, one])}
          />
        </>
      )}
    </section>
  );
}

export function SuspenseCard({ figures }: { figures: Insights }) {
  const { suspense } = figures.now;
  if (suspense.length === 0) return null;
  const max = Math.max(...suspense.map((one) => one.amount_minor), 1);
  return (
    <section class="card" aria-labelledby="ages">
      <h2 id="ages">Suspense by age</h2>
      <table class="list" aria-labelledby="ages">
        <TableHead columns={['Age', ['Share', 'unseen'], ['GHS', 'n'], ['Sums', 'n']]} />
        <tbody>
          {suspense.map(({ age, amount_minor, sums }) => (
            <tr>
              <th scope="row" class="nowrap">
                {ageWords[age]}
              </th>
              <td class="full">
                <Bar shares={[amount_minor / max]} />
              </td>
              <td class="n sum">{showNumber(amount_minor)}</td>
              <td class="n rest" data-label="sums">
                {sums}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const ageWords = {
  under_4_hours: 'Under 4 h',
  under_24_hours: '4 to 24 h',
  under_3_days: '1 to 3 days',
  older: 'Over 3 days',
} as const;

type Share = Insights['networks'][number] | Insights['channels'][number];

function Shares(props: {
  id: string;
  name: string;
  weekday: string;
  rows: readonly (readonly [string, Share])[];
}) {
  const { id, name, weekday, rows } = props;
  if (rows.length === 0) return null;
  return (
    <table class="list" aria-labelledby={id}>
      <TableHead columns={[name, ['Share', 'unseen'], ['Paid', 'n'], [`Last ${weekday}`, 'n']]} />
      <tbody>
        {rows.map(([title, { paid, not_paid, success_rate, success_rate_before }]) => (
          <tr>
            <th scope="row">{title}</th>
            <td class="full">
              <Bar shares={[success_rate ?? 0, 1 - (success_rate ?? 0)]} />
            </td>
            <td class="n sum">
              <b>{showShare(success_rate)}</b>
              <br />
              <small>
                {showCount(paid)} of {showCount(paid + not_paid)}
              </small>
            </td>
            <td class="n rest" data-label={`last ${weekday}`}>
              {showShare(success_rate_before)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const stepWords: Readonly<Record<string, readonly [step: string, lost: string]>> = {
  dialled: ['Dialled', 'left the first screen without an answer'],
  answered: ['Answered a screen', 'left before the total'],
  saw_total: ['Saw the total', 'chose No, saw a limit or hung up'],
  confirmed: ['Confirmed', 'got no prompt'],
  prompted: ['Got the prompt', 'not paid so far'],
  paid: ['Paid', ''],
};

/** How far the dialogues of today came. */
export function StepsCard({ figures, path }: { figures: Insights; path: string }) {
  const { steps } = figures;
  const begun = steps[0]?.dialogues ?? 0;
  const paid = steps.at(-1)?.dialogues ?? 0;
  return (
    <section class="card wide" aria-labelledby="steps">
      <div class="line between card-head">
        <div>
          <h2 id="steps">Where dialogues end</h2>
          <p class="muted small">
            {begun === 0
              ? 'No one has dialled today.'
              : `${plural(begun, 'dialogue')} began today; ${showShare(paid / begun)} are paid. Green continued, grey was lost there.`}
          </p>
        </div>
        <a href={path}>Show each screen</a>
      </div>
      {begun > 0 && (
        <table class="list">
          <TableHead
            columns={['Step', ['Dialogues', 'n'], ['Share', 'unseen'], 'Lost before the next step']}
          />
          <tbody>
            {steps.map(({ step, dialogues }, at) => {
              const next = steps[at + 1]?.dialogues ?? dialogues;
              const lost = Math.max(0, dialogues - next);
              const [words = step, why = ''] = stepWords[step] ?? [];
              return (
                <tr>
                  <th scope="row">{words}</th>
                  <td class="n sum">{showCount(dialogues)}</td>
                  <td class="full">
                    <Bar shares={[(dialogues - lost) / begun, lost / begun]} />
                  </td>
                  <td class="rest full">{lost > 0 && `${showCount(lost)} ${why}`}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      )}
    </section>
  );
}
