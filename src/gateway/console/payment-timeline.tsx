import type { EpochMs } from '../../shared/clock.ts';
import { unreachable } from '../../shared/errors.ts';
import { maskedNumber, maskedText } from '../../shared/msisdn.ts';
import { showShortReference } from '../../shared/short-reference.ts';
import { describeAnswer, toAnswers } from '../collection/answers.ts';
import { findAssignee } from '../support/action-query.ts';
import type { CollectionRecord } from '../support/collection-query.ts';
import type { Explanation } from '../support/explain.ts';
import { nameReason } from '../support/playbook/playbook-row.ts';
import type { TimelineEntry } from '../support/timeline.ts';
import {
  describeStatus,
  getReasons,
  nameZone,
  showAmount,
  showRecentDay,
  showSecond,
  showSpan,
} from './parts/format.ts';
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

type TimelineProps = { items: readonly TimelineItem[]; now: EpochMs; timeZone: string; isFinal: boolean };

/** The timeline of a payment, by day. Its layers are shown and hidden by the style sheet, without a script. */
export function Timeline({ items, now, timeZone, isFinal }: TimelineProps) {
  return (
    <section class="card timeline" aria-labelledby="timeline">
      <div class="line between">
        <h2 id="timeline">
          Timeline <small>{nameZone(timeZone)}</small>
        </h2>
        <p id="live" class="small muted" role="status">
          {isFinal && 'The result is final.'}
        </p>
      </div>
      <fieldset class="choices">
        <legend class="unseen">Layers</legend>
        {layers
          .filter(([layer]) => items.some((item) => item.layer === layer))
          .map(([layer, title]) => (
            <label>
              <input type="checkbox" id={`show-${layer}`} checked /> {title}
            </label>
          ))}
      </fieldset>
      <div id="entries" data-part>
        {[...Map.groupBy(items, ({ at }) => showRecentDay(at, now, timeZone))].map(([day, ofDay]) => (
          <div>
            <h3>{day}</h3>
            <ol class="events">
              {groupDialogues(ofDay).map((group) =>
                group[0]?.layer === 'phone' ? (
                  <Dialogue items={group} timeZone={timeZone} />
                ) : (
                  group.map((item) => <Item item={item} timeZone={timeZone} />)
                ),
              )}
            </ol>
          </div>
        ))}
      </div>
    </section>
  );
}

/** Groups entries of the phone that follow each other; every other entry is a group of its own. */
function groupDialogues(items: readonly TimelineItem[]): TimelineItem[][] {
  const groups: TimelineItem[][] = [];
  for (const item of items) {
    const last = groups.at(-1);
    if (item.layer === 'phone' && last?.[0]?.layer === 'phone' && item.text !== 'dialled') last.push(item);
    else groups.push([item]);
  }
  return groups;
}

/** A screen, and what was entered on it. */
type Exchange = { screen: string | undefined; input: string | undefined; notice: string | undefined };

/** Returns the screens of a dialogue with the input that followed each. */
function toExchanges(items: readonly TimelineItem[]): Exchange[] {
  const exchanges: Exchange[] = [];
  for (const { kind, text } of items) {
    const last = exchanges.at(-1);
    const part = kind === 'screen' ? 'screen' : kind === 'notice' ? 'notice' : 'input';
    if (part === 'screen' || last === undefined || last[part] !== undefined)
      exchanges.push({ screen: undefined, input: undefined, notice: undefined, [part]: text });
    else last[part] = text;
  }
  return exchanges;
}

/** The mark of a screen that ends its dialogue. */
const endMark = / \(END\)$/;

/** The screens of a dialogue, with the answer to each. */
function Dialogue({ items, timeZone }: { items: readonly TimelineItem[]; timeZone: string }) {
  const [first] = items;
  if (first === undefined) return null;
  const isStart = first.kind !== 'screen' && first.kind !== 'notice';
  return (
    <li class="phone">
      <Moment at={first.at} timeZone={timeZone} />
      <div>
        {isStart && (
          <b>
            {first.kind === 'dialler' ? 'another phone ' : 'the payer '}
            {first.text}
          </b>
        )}
        <ol class="chat">
          {toExchanges(isStart ? items.slice(1) : items).map(({ screen, input, notice }) => (
            <li>
              {screen !== undefined && <pre>{screen.replace(endMark, '')}</pre>}
              {input !== undefined && (
                <p>
                  <span class="unseen">entered </span>
                  {input.replace(/^entered /, '')}
                </p>
              )}
              {screen !== undefined && endMark.test(screen) && <p class="over">The session ended</p>}
              {notice !== undefined && <p class="over">{notice}</p>}
            </li>
          ))}
        </ol>
      </div>
      <span class="muted small">{first.gap}</span>
    </li>
  );
}

function Moment({ at, timeZone }: { at: EpochMs; timeZone: string }) {
  return <time datetime={new Date(at).toISOString()}>{showSecond(at, timeZone).slice(11)}</time>;
}

/** The words before the text of a technical entry that does not name its source. */
const sources: Readonly<Partial<Record<TimelineEntry['kind'], string>>> = {
  call: 'call ',
  poll: 'check ',
  webhook: 'webhook ',
};

/** A time in the text of an entry, such as the end of a block. */
const isoTime = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;

/** The code of a reason after the head of an entry. */
const reasonCode = /^: ([a-z]+(?:_[a-z]+)+)$/;

function Item({ item, timeZone }: { item: TimelineItem; timeZone: string }) {
  const { at, kind, ms, layer, count, until, gap } = item;
  const text = item.text.replaceAll(isoTime, (time) => showSecond(Date.parse(time), timeZone));
  const source = /^(an?|the) /.test(text) ? '' : (sources[kind] ?? '');
  const [, head = '', rest = ''] = /^([^:]*)(.*)$/s.exec(text) ?? [];
  return (
    <li class={layer}>
      <Moment at={at} timeZone={timeZone} />
      <div>
        {layer === 'story' ? (
          <>
            <b>{head}</b>
            {rest.replace(reasonCode, (_, code) => `: ${nameReason(code).toLowerCase()}`)}
          </>
        ) : (
          `${source}${text}`
        )}
        {count > 1 && ` (${count} times in ${showSpan(until - at)})`}
      </div>
      <span class="muted small">
        {[ms === null ? null : `${ms} ms`, gap].filter((one) => one !== null).join(', ')}
      </span>
    </li>
  );
}

/** The newest entries of the story. */
const maxEntries = 30;

/**
 * Describes a payment as plain text, to paste into a mail or a ticket. Its numbers are masked, also for a person who sees whole
 * ones: the text leaves the console.
 *
 * @param explanation one with a masked number.
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
    `Payer: ${maskedNumber(payer)} on ${network}`,
    ...(payer === dialler ? [] : [`Dialled by: ${maskedNumber(dialler)}`]),
    `Reference: ${reference}`,
    ...toAnswers(collection, 'masked').map(describeAnswer),
    `Price: ${showAmount(collection.goodsMinor)}`,
    `Received: ${received ? showAmount(received.amountMinor) : 'nothing'}`,
    ...(assignee === undefined ? [] : [`Assigned to: ${assignee}`]),
    '',
    ...(story.length > maxEntries ? [`(${story.length - maxEntries} earlier entries)`] : []),
    ...story.slice(-maxEntries).map(({ at, text }) => `${showSecond(at)} UTC  ${text}`),
  ];
  return maskedText(lines.join('\n'));
}
