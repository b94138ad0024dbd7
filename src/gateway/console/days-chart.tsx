import type { DayRow } from './days-query.ts';
import { showNumber } from './parts/format.ts';

/** Steps of the scale, in pesewas: 1, 2 or 5 times a power of ten. */
function findStep(max: number): number {
  for (let unit = 100; ; unit *= 10)
    for (const factor of [1, 2, 5]) if (unit * factor * 4 >= max) return unit * factor;
}

/** The money of the last days as bars, with a table of the same. */
export function DaysChart({ days, isOwn }: { days: readonly DayRow[]; isOwn: boolean }) {
  const rows = days.toReversed();
  const step = findStep(Math.max(...rows.map(({ receivedMinor }) => receivedMinor)));
  const ticks = [0, 1, 2, 3, 4];
  const heightOf = ({ receivedMinor }: DayRow) => Math.round((receivedMinor / (4 * step)) * 1_000) / 10;
  const width = rows.length * 10;
  const title = `${isOwn ? 'Booked for you' : 'Received'} in the last ${rows.length} days`;
  const isClosed = ({ merchants, closed }: DayRow) => merchants > 0 && closed === merchants;
  return (
    <figure class="card">
      <figcaption>
        <h2>{title}</h2>
        <p class="muted small">GHS per day, when it was booked. The grey days are not closed.</p>
      </figcaption>
      <div class="plot">
        <ol class="y" aria-hidden="true">
          {ticks.toReversed().map((tick) => (
            <li>{showNumber(tick * step).replace('.00', '')}</li>
          ))}
        </ol>
        <svg
          viewBox={`0 0 ${width} 100`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`${title}. The table below has the numbers.`}
        >
          {ticks.map((tick) => (
            <line class="grid" x2={width} y1={tick * 25} y2={tick * 25} />
          ))}
          {rows.map((row, at) => (
            <rect
              class={isClosed(row) ? 's1' : 's2'}
              x={at * 10 + 1.5}
              y={100 - heightOf(row)}
              width={7}
              height={heightOf(row)}
            />
          ))}
        </svg>
        <ol class="x" aria-hidden="true">
          {rows.map(({ date }, at) => (
            // On a narrow screen there is room for every second one.
            <li>{(rows.length - at) % 2 === 1 && Number(date.slice(8))}</li>
          ))}
        </ol>
      </div>
      <ul class="key">
        {[
          ['s1', 'Closed'],
          ['s2', 'Not closed'],
        ].map(([series, text]) => (
          <li>
            <svg viewBox="0 0 20 12" aria-hidden="true">
              <rect class={series} width="20" height="12" />
            </svg>{' '}
            {text}
          </li>
        ))}
      </ul>
      <details class="fold">
        <summary>Show as a table</summary>
        <table>
          <caption class="unseen">{title}</caption>
          <thead>
            <tr>
              <th scope="col">Day</th>
              <th scope="col" class="n">
                GHS
              </th>
              <th scope="col" class="n">
                Closed
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr>
                <th scope="row">{row.date}</th>
                <td class="n">{showNumber(row.receivedMinor)}</td>
                <td class="n">{isClosed(row) ? 'yes' : row.merchants === 0 ? '–' : 'no'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  );
}
