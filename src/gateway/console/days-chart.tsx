import type { DayRow } from './days-query.ts';
import { AsTable, ChartKey, Plot } from './parts/charts.tsx';
import { showNumber } from './parts/format.ts';

/** The money of the last days as bars, with a table of the same. */
export function DaysChart({ days, isOwn }: { days: readonly DayRow[]; isOwn: boolean }) {
  const rows = days.toReversed();
  const title = `${isOwn ? 'Booked for you' : 'Received'} in the last ${rows.length} days`;
  const isClosed = ({ merchants, closed }: DayRow) => merchants > 0 && closed === merchants;
  const cedis = ({ receivedMinor }: DayRow) => receivedMinor / 100;
  return (
    <figure class="card">
      <figcaption>
        <h2>{title}</h2>
        <p class="muted small">GHS per day, when it was booked. The grey days are not closed.</p>
      </figcaption>
      <Plot
        label={`${title}. The table below has the numbers.`}
        bars={rows.map((row) => (isClosed(row) ? [cedis(row), 0] : [0, cedis(row)]))}
        // On a narrow screen there is room for every second one.
        labels={rows.map(({ date }, at) =>
          (rows.length - at) % 2 === 1 ? String(Number(date.slice(8))) : '',
        )}
      />
      <ChartKey
        items={[
          ['s1', 'Closed'],
          ['s2', 'Not closed'],
        ]}
      />
      <AsTable
        caption={title}
        head={['Day', 'GHS', 'Closed']}
        rows={rows.map((row) => [
          row.date,
          showNumber(row.receivedMinor),
          isClosed(row) ? 'yes' : row.merchants === 0 ? '–' : 'no',
        ])}
      />
    </figure>
  );
}
