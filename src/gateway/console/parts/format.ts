import type { EpochMs } from '../../../shared/clock.ts';
import { localForm, type Msisdn, maskedNumber, parseMsisdn } from '../../../shared/msisdn.ts';
import { addDays, defaultTimeZone, formatTime, localTimeAt, showTime } from '../../../shared/time-text.ts';
import {
  awaitsService,
  type CollectionRow,
  isFailureReported,
  isUnconfirmed,
  type Status,
} from '../../collection/collection.ts';
import { nameReason } from '../../support/playbook/playbook-row.ts';

/** Formats a time as `2026-03-06 09:00:01`, in Ghana or in another time zone. */
export function showSecond(at: EpochMs, timeZone?: string): string {
  return showTime(at, timeZone).slice(0, 19);
}

/** Names a time zone: `Ghana time`, or `Africa/Nairobi`. */
export function nameZone(timeZone = defaultTimeZone): string {
  return timeZone === defaultTimeZone ? 'Ghana time' : timeZone;
}

/** Formats a time of the day as `14:20`, in Ghana or in another time zone. */
export function showClock(at: EpochMs, timeZone = defaultTimeZone): string {
  return localTimeAt(at, timeZone).slice(11);
}

/** Returns the date of a time as `2026-03-06`, in Ghana or in another time zone. */
export function getDate(at: EpochMs, timeZone = defaultTimeZone): string {
  return localTimeAt(at, timeZone).slice(0, 10);
}

/** Formats a day as `Thursday 26 November`, with the year unless it is that of `now`. With NaN as `now`, always with the year. */
export function showLongDay(at: EpochMs, now: EpochMs, timeZone = defaultTimeZone): string {
  const getYear = (time: EpochMs) => getDate(time, timeZone).slice(0, 4);
  const year = !Number.isNaN(now) && getYear(at) === getYear(now) ? undefined : 'numeric';
  const parts = { weekday: 'long', day: 'numeric', month: 'long', year, timeZone } as const;
  return formatTime(at, 'en-GB', parts).replace(',', '');
}

/** Returns `today` or `yesterday` for a time on that day, otherwise `undefined`. */
function nameDay(at: EpochMs, now: EpochMs, timeZone: string): 'today' | 'yesterday' | undefined {
  const [date, today] = [at, now].map((time) => getDate(time, timeZone)) as [string, string];
  if (date === today) return 'today';
  return date === addDays(today, -1) ? 'yesterday' : undefined;
}

/** Formats a day as `showLongDay` does. Puts *Today,* or *Yesterday,* before these two days. */
export function showRecentDay(at: EpochMs, now: EpochMs, timeZone = defaultTimeZone): string {
  const day = nameDay(at, now, timeZone);
  const prefix = day === undefined ? '' : day === 'today' ? 'Today, ' : 'Yesterday, ';
  return prefix + showLongDay(at, now, timeZone);
}

/** Formats a time in a sentence: `14:20`, `yesterday 22:05`, `23 November 09:10`, and with its year when that is another one. */
export function showMoment(at: EpochMs, now: EpochMs, timeZone = defaultTimeZone): string {
  const day = nameDay(at, now, timeZone);
  const clock = showClock(at, timeZone);
  if (day !== undefined) return day === 'today' ? clock : `yesterday ${clock}`;
  return `${showLongDay(at, now, timeZone).replace(/^\S+ /, '')} ${clock}`;
}

/** Formats a time as `showMoment` does, and names its zone: `14:20 Ghana time`. */
export function showZoned(at: EpochMs, now: EpochMs, timeZone = defaultTimeZone): string {
  return `${showMoment(at, now, timeZone)} ${nameZone(timeZone)}`;
}

/** Formats an RFC 3339 time as `showMoment` does. */
export function showIsoMoment(time: string, now: EpochMs, timeZone?: string): string {
  return showMoment(Date.parse(time), now, timeZone);
}

const noBreak = '\u00a0';

/** Formats a whole number as `024 412 3456`. */
export function spacedNumber(msisdn: Msisdn): string {
  const local = localForm(msisdn);
  return [local.slice(0, 3), local.slice(3, 6), local.slice(6)].join(noBreak);
}

/** Masks a text that is a phone number. Any other text becomes empty: it can contain a number that is not recognized. */
export function maskedPhone(text: string | null): string {
  const msisdn = parseMsisdn(text ?? '');
  return msisdn === undefined ? '' : maskedNumber(msisdn);
}

/** Formats an amount as `4,641,140.50`, for a column whose head names the currency; a dash without one. */
export function showNumber(minor: number | null | undefined): string {
  if (minor == null) return '–';
  const [whole = '', pesewas] = (Math.abs(minor) / 100).toFixed(2).split('.');
  return `${minor < 0 ? '−' : ''}${whole.replaceAll(/\B(?=(\d{3})+$)/g, ',')}.${pesewas}`;
}

/** Formats an amount as `GHS 4,641,140.50`; a dash without one. */
export function showAmount(minor: number | null | undefined): string {
  const text = showNumber(minor);
  return minor == null ? text : `${text.startsWith('−') ? '−' : ''}GHS${noBreak}${text.replace('−', '')}`;
}

/** Formats a time span by its largest unit and the next smaller one, which is left out when it is zero: `18 s`, `4 min 10 s`, `2 h 5 min`, `3 d 1 h`. */
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
  accepted: 'Confirmed by the payer',
  created: 'Prompt follows',
  initiating: 'Prompt requested',
  initiated: 'Waiting for the PIN',
  paid: 'Paid',
  failed: 'Not paid',
  expired: 'Expired, not paid',
  abandoned: 'No prompt sent',
  review: 'A person must decide',
};

/** Reasons that say more about the end of a payment than its status. */
const sayMore: ReadonlySet<string | null> = new Set([
  ...['declined', 'cancelled', 'insufficient_funds', 'pin_limit', 'wallet_not_registered'],
  ...['limit_exceeded', 'network_down', 'prompt_expired'],
]);

/** The tone of a state: `open` has no result yet, `idle` needs no one. */
export type Tone = 'good' | 'bad' | 'open' | 'review' | 'idle';

/** The words of a status, and its tone. */
type StatusView = { words: string; tone: Tone };

/** Returns the words and the tone of the status of a payment. */
export function describeStatus(row: CollectionRow): StatusView {
  const { status, late, lapsedAt, review, reason } = row;
  if (awaitsService(row)) return { words: 'The service decides', tone: 'open' };
  if (isUnconfirmed(row)) return { words: 'Paid, unconfirmed', tone: 'open' };
  const unpaid = isUnpaid(status) && sayMore.has(reason) ? nameReason(reason ?? '') : undefined;
  const isLapsed = lapsedAt !== null && getTone(row) === 'open';
  const words = isFailureReported(row)
    ? 'Failure reported, unproven'
    : isLapsed
      ? 'No result in time'
      : (unpaid ?? statusWords[status]);
  const notes = [...(late ? ['late'] : []), ...(review !== null && status !== 'review' ? ['in review'] : [])];
  return { words: [words, ...notes].join(', '), tone: review === null ? getTone(row) : 'review' };
}

/** Returns the words and the tone of an outcome of `Insights`. */
export function describeOutcome(outcome: string): StatusView {
  if (outcome === 'paid') return { words: statusWords.paid, tone: 'good' };
  if (outcome === 'waiting') return { words: 'Waiting', tone: 'open' };
  if (outcome === 'review') return { words: 'To decide', tone: 'review' };
  if (!sayMore.has(outcome)) return { words: `Not paid: ${nameReason(outcome).toLowerCase()}`, tone: 'idle' };
  return { words: nameReason(outcome), tone: outcome === 'prompt_expired' ? 'idle' : 'bad' };
}

function isUnpaid(status: Status): boolean {
  return status === 'failed' || status === 'expired' || status === 'abandoned';
}

/** A prompt that was not answered or not sent is `idle`. A refusal by the payer or the wallet is `bad`. */
function getTone({ status, reason }: Pick<CollectionRow, 'status' | 'reason'>): Tone {
  if (status === 'paid') return 'good';
  if (status === 'review') return 'review';
  if (!isUnpaid(status)) return 'open';
  return status === 'failed' && reason !== 'prompt_expired' ? 'bad' : 'idle';
}

/** Returns the reasons of a review and of a status, each once, with a comma between them; empty without any. */
export function getReasons({ review, reason }: CollectionRow): string {
  return [...new Set([review, reason])].filter((one) => one !== null).join(', ');
}

/** What a proposal is for, by its outcome. The dots stand for the amount or the thing. */
const proposed: Readonly<Record<string, string>> = {
  accept: 'to accept …',
  returned: 'to record … as returned',
  return: 'to return …',
  paid: 'to record … as paid',
  not_paid: 'to record … as not paid',
  match: 'to place …',
  foreign: 'to leave … to another channel',
};

/** Returns what a person proposes to do with an amount: `to accept GHS 20.20`. */
export function nameDecision(outcome: string, amount: string): string {
  return (proposed[outcome] ?? `“${outcome}” for …`).replace('…', amount);
}
