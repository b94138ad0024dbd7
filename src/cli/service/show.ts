import type { Paint } from '../terminal/terminal.ts';

/** A time of the service's, as people read it: `2026-03-06 09:00:01.500`, UTC. */
export function shownTime(iso: string | null | undefined): string {
  return iso ? iso.replace('T', ' ').replace('Z', '') : '-';
}

/** Names and values, one pair a line. */
export function fields(pairs: readonly (readonly [string, string])[]): string {
  return pairs.map(([name, value]) => `${name.padEnd(12)} ${value}\n`).join('');
}

/** A secret that is shown this once: alone on its line, so that it can be taken without what is around it. */
export function secretOnce(paint: Paint, about: string, secret: string, quiet: boolean | undefined): string {
  if (quiet) return `${secret}\n`;
  return `${about}\n\n${paint('bold', secret)}\n\n${paint('dim', 'Keep it where your program reads its secrets.')}\n`;
}

/** What follows a page, when there is more. */
export function nextPage(paint: Paint, cursor: string | null): string {
  return cursor === null ? '' : `${paint('dim', `more: --cursor ${cursor}`)}\n`;
}

/** Rows that a list without pages shows at most. */
const maxListLength = 100;

/** Whether a list is as long as lists get, so that not all may be in it. */
export function isFull(list: readonly unknown[]): boolean {
  return list.length >= maxListLength;
}

/** What follows such a list: how to see what comes after its last row. */
export function fullList(paint: Paint, flag: string, ids: readonly string[]): string {
  return isFull(ids) ? `${paint('dim', `there may be more: ${flag} ${ids.at(-1)}`)}\n` : '';
}
