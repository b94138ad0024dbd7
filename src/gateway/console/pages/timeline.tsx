import { showSpan, showTime } from './format.ts';
import type { TimelineItem } from './timeline-view.ts';

const layers = [
  ['story', 'Story'],
  ['phone', "Payer's phone"],
  ['technical', 'Technical'],
] as const;

/** The timeline of a payment. Its layers are shown and hidden by the style sheet, without a script. */
export function Timeline({ items }: { items: readonly TimelineItem[] }) {
  return (
    <section class="timeline" aria-labelledby="timeline">
      <h2 id="timeline">Timeline (UTC)</h2>
      <fieldset>
        <legend class="unseen">Layers</legend>
        {layers
          .filter(([layer]) => items.some((item) => item.layer === layer))
          .map(([layer, title]) => (
            <label>
              <input type="checkbox" id={`show-${layer}`} checked /> {title}
            </label>
          ))}
      </fieldset>
      <p class="columns-head" aria-hidden="true">
        <span>Time</span>
        <span>Source</span>
        <span>What happened</span>
        <span>Latency</span>
      </p>
      <ol id="entries" data-part>
        {items.map((item) => (
          <Item item={item} />
        ))}
      </ol>
    </section>
  );
}

function Item({ item: { at, kind, text, ms, layer, count, until, gap } }: { item: TimelineItem }) {
  return (
    <li class={layer}>
      {gap !== null && <span class="gap">{gap}</span>}
      <time datetime={new Date(at).toISOString()}>{showTime(at)}</time>
      <span class="kind">{kind}</span>
      {kind === 'screen' ? <pre class="screen">{text}</pre> : <span class="text">{text}</span>}
      <span class="ms">
        {ms !== null && `${ms} ms`}
        {count > 1 && (
          <>
            {' '}
            <span class="times">
              {count} times in {showSpan(until - at)}
            </span>
          </>
        )}
      </span>
    </li>
  );
}
