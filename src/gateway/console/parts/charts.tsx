import type { Child } from 'hono/jsx';
import { TableHead } from './table.tsx';

/*
 * Charts that the server draws: only shapes are SVG, which stretches to the width of the page. Labels are HTML beside it, so that they keep
 * their size. A chart has at most two filled series, dark `s1` and light `s2`, and the dashed line `s3`.
 */

const rounded = (value: number) => String(Math.round(value * 10) / 10);

/** A bar for a cell of a table: the parts of `shares`, of at most 1 in all. */
export function Bar({ shares: [one, other = 0] }: { shares: readonly [first: number, second?: number] }) {
  const percent = (share: number) => Math.max(0, Math.min(1, share)) * 100;
  const [first, second] = [percent(one), percent(other)];
  return (
    <svg class="bar-1" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
      <rect class="s1" width={rounded(first)} height="1" />
      {second > 0 && <rect class="s2" x={rounded(first)} width={rounded(second)} height="1" />}
    </svg>
  );
}

/** A small curve below a figure; nothing when all values are equal. A missing value continues the one before it. */
export function Spark({ values }: { values: readonly (number | null)[] }) {
  const known = values.flatMap((value) => value ?? []);
  const [low, high] = [Math.min(...known) * 0.9, Math.max(...known)];
  if (known.length < 2 || high <= low) return null;
  let last = known[0] ?? 0;
  const points = values.map((value, at) => {
    last = value ?? last;
    return `${rounded((at / (values.length - 1)) * 100)} ${rounded(19 - ((last - low) / (high - low)) * 18)}`;
  });
  return (
    <svg class="spark" viewBox="0 0 100 20" preserveAspectRatio="none" aria-hidden="true">
      <path d={`M${points.join('L')}`} />
    </svg>
  );
}

type PlotProps = {
  /** The sentence for screen readers. */
  label: string;
  /** One bar for each place: its dark part and its light one. */
  bars: readonly (readonly [first: number, second: number])[];
  /** A stepped line over the bars. */
  line?: readonly number[] | undefined;
  /** The labels below, evenly spread. */
  labels: readonly string[];
};

const barWidth = 10;
const gap = 2.5;

/** Stacked bars with a stepped line. */
export function Plot({ label, bars, line, labels }: PlotProps) {
  const ticks = listTicks(Math.max(...bars.map(([one, other]) => one + other), ...(line ?? []), 1));
  const top = ticks.at(-1) ?? 1;
  const width = bars.length * barWidth;
  const y = (value: number) => rounded(100 - (value / top) * 100);
  const bar = (kind: 's1' | 's2', at: number, from: number, size: number) =>
    size > 0 && (
      <rect
        class={kind}
        x={rounded(at * barWidth + gap / 2)}
        y={y(from + size)}
        width={rounded(barWidth - gap)}
        height={rounded((size / top) * 100)}
      />
    );
  return (
    <div class="plot">
      <ol class="y" aria-hidden="true">
        {ticks.toReversed().map((tick) => (
          <li>{showCount(tick)}</li>
        ))}
      </ol>
      <svg viewBox={`0 0 ${width} 100`} preserveAspectRatio="none" role="img" aria-label={label}>
        {ticks.map((tick) => (
          <line class="grid" x2={width} y1={y(tick)} y2={y(tick)} />
        ))}
        {bars.map(([first, second], at) => (
          <>
            {bar('s1', at, 0, first)}
            {bar('s2', at, first, second)}
          </>
        ))}
        {line && (
          <path
            class="s3"
            d={`M0 ${y(line[0] ?? 0)}${line.map((value, at) => `V${y(value)}H${(at + 1) * barWidth}`).join('')}`}
          />
        )}
      </svg>
      <ol class="x" aria-hidden="true">
        {labels.map((one) => (
          <li>{one}</li>
        ))}
      </ol>
    </div>
  );
}

/** Returns the ticks of an axis from 0 on: three to five whole numbers, the last one at or above the value. */
function listTicks(max: number): number[] {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, max / 4)));
  const step = [1, 2, 2.5, 5, 10].map((one) => one * power).find((one) => one * 4 >= max && one % 1 === 0);
  const size = step ?? 10 * power;
  return Array.from({ length: Math.ceil(max / size) + 1 }, (_, at) => at * size);
}

type KeyProps = { items: readonly (readonly [kind: 's1' | 's2' | 's3', words: string])[] };

export function ChartKey({ items }: KeyProps) {
  return (
    <ul class="key">
      {items.map(([kind, words]) => (
        <li>
          <svg viewBox="0 0 20 12" aria-hidden="true">
            {kind === 's3' ? <path class="s3" d="M0 6H20" /> : <rect class={kind} width="20" height="12" />}
          </svg>{' '}
          {words}
        </li>
      ))}
    </ul>
  );
}

type AsTableProps = { caption: string; head: readonly string[]; rows: readonly (readonly Child[])[] };

export function AsTable({ caption, head, rows }: AsTableProps) {
  return (
    <details class="fold">
      <summary>Show as a table</summary>
      <table>
        <caption class="unseen">{caption}</caption>
        <TableHead columns={head.map((name, at) => (at === 0 ? name : [name, 'n']))} />
        <tbody>
          {rows.map(([first, ...rest]) => (
            <tr>
              <th scope="row">{first}</th>
              {rest.map((cell) => (
                <td class="n">{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

/** Formats a count as `4,211`. */
export function showCount(count: number): string {
  return String(count).replaceAll(/\B(?=(\d{3})+$)/g, ',');
}

/** Formats a share as `84.0 %`; a dash without one. */
export function showShare(share: number | null): string {
  return share === null ? '–' : `${(share * 100).toFixed(1)}\u00a0%`;
}

/** The difference of two numbers in words, such as `6.2 % more than` or `8 times as much as`; null without an earlier number. */
export function comparePercent(value: number, before: number, noun: 'much' | 'many' = 'much'): string | null {
  if (before === 0) return null;
  if (value >= before * 5) return `${Math.round(value / before)} times as ${noun} as`;
  const percent = ((value - before) / before) * 100;
  return describeDifference(percent, '\u00a0%', noun);
}

/** The difference of two shares in words, such as `2.1 points more`; null when one is unknown. */
export function comparePoints(value: number | null, before: number | null): string | null {
  return value === null || before === null ? null : describeDifference((value - before) * 100, ' points');
}

function describeDifference(difference: number, unit: string, noun = 'much'): string {
  const size = Math.abs(difference).toFixed(1);
  if (size === '0.0') return `as ${noun} as`;
  return `${size.replace(/\B(?=(\d{3})+\.)/g, ',')}${unit} ${difference > 0 ? 'more' : 'less'} than`;
}
