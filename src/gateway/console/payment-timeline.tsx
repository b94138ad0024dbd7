import type { EpochMs } from '../../shared/clock.ts';
import { unreachable } from '../../shared/errors.ts';
import { maskedForm, maskNumbers } from '../../shared/msisdn.ts';
import { showShortReference } from '../../shared/short-reference.ts';
import { describeAnswer, toAnswers } from '../collection/answers.ts';
import { findAssignee } from '../support/action-query.ts';
import type { CollectionRecord } from '../support/collection-query.ts';
import type { Explanation } from '../support/explain.ts';
import type { TimelineEntry } from '../support/timeline.ts';
import { describeStatus, getReasons, showAmount, showSecond, showSpan } from './parts/format.ts';
import type { NumberView } from './scope.ts';

/** A part of the timeline that a person can hide. */
type Layer = 'story' | 'phone' | 'technical';

/** An entry as the page shows it: polls that reported the same are one entry, with the text of the last one. */
type TimelineItem = Pick<TimelineEntry, 'at' | 'kind' | 'text' | 'ms'> & {
  layer: Layer;
  count: number;
  /** The time of the last one of equal polls. */
  until: EpochMs;
  /** The time since the previous entry, when it is long enough to matter: `18 s later`. */
  gap: string | null;
};

/** A shorter time between two entries is usual. */
const minGapMs = 5_000;

/** Returns the entries of a timeline for a page: masked, polls that reported the same folded, gaps named. */
export function timelineItems(entries: readonly TimelineEntry[], numbers: NumberView): TimelineItem[] {
  const items: TimelineItem[] = [];
  let before: string | undefined;
  for (const { at, kind, text, ms, reported } of entries) {
    const last = items.at(-1);
    const shown = numbers.text(text);
    const isSame = reported !== undefined && reported === before;
    before = reported;
    if (last && isSame) {
      Object.assign(last, { text: shown, count: last.count + 1, until: at });
      continue;
    }
    const pause = last ? at - last.until : 0;
    const gap = pause >= minGapMs ? `${showSpan(pause)} later` : null;
    items.push({ at, kind, text: shown, ms, layer: getLayer(kind), count: 1, until: at, gap });
  }
  return items;
}

function getLayer(kind: TimelineEntry['kind']): Layer {
  switch (kind) {
    case 'status':
    case 'support':
      return 'story';
    case 'payer':
    case 'dialler':
    case 'screen':
    case 'notice':
      return 'phone';
    case 'call':
    case 'poll':
    case 'webhook':
      return 'technical';
    default:
      return unreachable(kind);
  }
}

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
      <time datetime={new Date(at).toISOString()}>{showSecond(at)}</time>
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

/** The newest entries of the story. */
const maxEntries = 30;

/**
 * Describes a payment as plain text, to paste into a mail or a ticket. Its numbers are masked, also for a person who sees whole
 * ones: the text leaves the console.
 */
export function caseSummary(
  { collection, actions }: CollectionRecord,
  { summary, nextStep, received }: Explanation,
  items: readonly TimelineItem[],
): string {
  const { payer, dialler, network, reference } = collection;
  const story = items.filter(({ layer }) => layer === 'story');
  const assignee = findAssignee(actions);
  const reasons = getReasons(collection);
  const lines = [
    `Payment ${showShortReference(collection.shortReference)} (${collection.id})`,
    `Status: ${describeStatus(collection).words}${reasons === '' ? '' : ` (${reasons})`}`,
    summary,
    nextStep.text,
    '',
    `Merchant: ${collection.merchantId} (${collection.livemode ? 'live' : 'test'}, channel ${collection.channel})`,
    `Payer: ${maskedForm(payer)} on ${network}`,
    ...(payer === dialler ? [] : [`Dialled by: ${maskedForm(dialler)}`]),
    `Reference: ${reference}`,
    ...toAnswers(collection, 'masked').map(describeAnswer),
    `Price: ${showAmount(collection.goodsMinor)}`,
    `Received: ${received ? showAmount(received.amountMinor) : 'nothing'}`,
    ...(assignee === undefined ? [] : [`Assigned to: ${assignee}`]),
    '',
    ...(story.length > maxEntries ? [`(${story.length - maxEntries} earlier entries)`] : []),
    ...story.slice(-maxEntries).map(({ at, text }) => `${showSecond(at)} UTC  ${text}`),
  ];
  return maskNumbers(lines.join('\n'));
}
