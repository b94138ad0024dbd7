import { oneLine, type Paint } from '../terminal/output.ts';

/** A time of the service as `2026-03-06 09:00:01.500`, UTC; `-` if there is none. */
export function formatTime(iso: string | null | undefined): string {
  return iso ? iso.replace('T', ' ').replace('Z', '') : '-';
}

/** Names and values, one pair per line. */
export function formatFields(pairs: readonly (readonly [string, string])[]): string {
  return pairs.map(([name, value]) => `${name.padEnd(12)} ${oneLine(value)}\n`).join('');
}

/** A secret that is shown only once, alone on its line for copying. With `quiet`, only the secret. */
export function formatSecret(
  paint: Paint,
  { title, secret, quiet }: { title: string; secret: string; quiet: boolean | undefined },
): string {
  if (quiet) return `${secret}\n`;
  const hint = 'Store it where your program reads its secrets.';
  return `${title}\n\n${paint('bold', secret)}\n\n${paint('dim', hint)}\n`;
}

/** The hint after a page that has a successor. */
export function nextPageHint(paint: Paint, cursor: string | null): string {
  return cursor === null ? '' : `${paint('dim', `more: --cursor ${cursor}`)}\n`;
}
