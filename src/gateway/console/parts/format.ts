import type { EpochMs } from '../../../shared/clock.ts';
import { formatCedis } from '../../../shared/money.ts';
import { maskedForm, parseMsisdn } from '../../../shared/msisdn.ts';
import {
  type CollectionRow,
  isFailureReported,
  isUnconfirmed,
  type Status,
} from '../../collection/collection.ts';

/** Formats a time as `2026-03-06 09:00:01` in UTC, which is Ghana's time all year. */
export function showSecond(at: EpochMs): string {
  return new Date(at).toISOString().slice(0, 19).replace('T', ' ');
}

/** Formats an RFC 3339 time as `showSecond` does. */
export function showIsoTime(time: string): string {
  return time.slice(0, 19).replace('T', ' ');
}

/** Masks a text that is a phone number. Any other text becomes empty: it can contain a number that is not recognized. */
export function maskedPhone(text: string | null): string {
  const msisdn = parseMsisdn(text ?? '');
  return msisdn === undefined ? '' : maskedForm(msisdn);
}

/** Formats an amount; a dash without one. */
export function showAmount(minor: number | null | undefined): string {
  return minor == null ? '–' : formatCedis(minor);
}

/** Formats a time span by its two largest units: `18 s`, `4 min 10 s`, `2 h 5 min`, `3 d 1 h`. */
export function showSpan(ms: number): string {
  const seconds = Math.round(ms / 1000);
  const parts: [number, string][] = [
    [Math.trunc(seconds / 86_400), 'd'],
    [Math.trunc((seconds % 86_400) / 3600), 'h'],
    [Math.trunc((seconds % 3600) / 60), 'min'],
    [seconds % 60, 's'],
  ];
  const first = parts.findIndex(([count]) => count > 0);
  if (first === -1) return '0 s';
  const shown = parts.slice(first, first + 2).filter(([count]) => count > 0);
  return shown.map(([count, unit]) => `${count} ${unit}`).join(' ');
}

/** Filters of a list, as they stand in its address. */
export type ListQuery = Readonly<Record<string, string | undefined>>;

/** Returns a query string with its question mark; empty without a text. */
export function toQuery(texts: ListQuery): string {
  const query = new URLSearchParams();
  for (const [name, text] of Object.entries(texts)) if (text) query.set(name, text);
  return query.size === 0 ? '' : `?${query}`;
}

/** Every status in words that state no more than is proven. */
export const statusWords: Readonly<Record<Status, string>> = {
  accepted: 'confirmed by the payer',
  created: 'prompt follows',
  initiating: 'prompt requested',
  initiated: 'waiting for the PIN',
  paid: 'paid',
  failed: 'not paid',
  expired: 'expired, not paid',
  abandoned: 'no prompt sent',
  review: 'a person must decide',
};

/** The words of a status, and its tone: `open` has no result yet. */
type StatusView = { words: string; tone: 'good' | 'bad' | 'open' | 'review' };

/** Returns the words and the tone of the status of a payment. */
export function describeStatus(row: CollectionRow): StatusView {
  const { status, late, lapsedAt, review } = row;
  if (isUnconfirmed(row)) return { words: 'paid, unconfirmed', tone: 'open' };
  const words = isFailureReported(row) ? 'failure reported, unproven' : statusWords[status];
  const notes = [
    ...(late ? ['late'] : []),
    ...(lapsedAt !== null && getTone(status) === 'open' ? ['no result in time'] : []),
    ...(review !== null && status !== 'review' ? ['in review'] : []),
  ];
  return { words: [words, ...notes].join(', '), tone: review === null ? getTone(status) : 'review' };
}

function getTone(status: Status): StatusView['tone'] {
  if (status === 'paid') return 'good';
  if (status === 'review') return 'review';
  return status === 'failed' || status === 'expired' || status === 'abandoned' ? 'bad' : 'open';
}

/** Returns the amount that the payer is charged: the total of the prompt, or the best known one before it. */
export function computeTotal({ amountMinor, shownTotalMinor, goodsMinor }: CollectionRow): number {
  return amountMinor ?? shownTotalMinor ?? goodsMinor;
}

/** Returns the reasons of a status and of a review. */
export function getReasons({ review, reason }: CollectionRow): string {
  return [...new Set([review, reason])].filter((one) => one !== null).join(', ');
}
