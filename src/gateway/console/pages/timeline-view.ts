import type { EpochMs } from '../../../shared/clock.ts';
import { unreachable } from '../../../shared/errors.ts';
import type { TimelineEntry } from '../../support/timeline.ts';
import type { NumberView } from '../numbers.ts';
import { showSpan } from './format.ts';

/** A part of the timeline that a person can hide. */
export type Layer = 'story' | 'phone' | 'technical';

/** An entry as the page shows it: equal polls are one entry with their number. */
export type TimelineItem = Pick<TimelineEntry, 'at' | 'kind' | 'text' | 'ms'> & {
  layer: Layer;
  count: number;
  /** The time of the last one of equal polls. */
  until: EpochMs;
  /** The time since the previous entry, when it is long enough to matter: `18 s later`. */
  gap: string | null;
};

/** A shorter time between two entries is usual. */
const minGapMs = 5_000;

/** Returns the entries of a timeline for a page: masked, equal polls folded, gaps named. */
export function timelineItems(entries: readonly TimelineEntry[], numbers: NumberView): TimelineItem[] {
  const items: TimelineItem[] = [];
  for (const { at, kind, text, ms } of entries) {
    const last = items.at(-1);
    const shown = numbers.text(text);
    if (last && kind === 'poll' && last.kind === kind && last.text === shown) {
      Object.assign(last, { count: last.count + 1, until: at });
      continue;
    }
    const pause = last ? at - last.until : 0;
    const gap = pause >= minGapMs ? `${showSpan(pause)} later` : null;
    items.push({ at, kind, text: shown, ms, layer: layerOf(kind), count: 1, until: at, gap });
  }
  return items;
}

function layerOf(kind: TimelineEntry['kind']): Layer {
  switch (kind) {
    case 'status':
    case 'support':
      return 'story';
    case 'payer':
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
