import type { EpochMs } from '../../../shared/clock.ts';
import type { Output } from '../../terminal/protected-output.ts';

/** Interval of the lines: on a terminal, each replaces the one before. */
const terminalIntervalMs = 500;
const pipeIntervalMs = 10_000;

const clearLine = '\r\u001b[K';

export type VerifyProgress = {
  add(rows: number): void;
  /** Removes the line from a terminal. */
  end(): void;
};

/**
 * Creates the progress of an audit: the rows that were read, their rate, and the time left. An audit of less than one
 * interval prints nothing.
 *
 * @param total the number of rows to read; undefined when it is not known.
 */
export function createVerifyProgress(
  output: Output,
  now: () => EpochMs,
  total: number | undefined,
): VerifyProgress {
  const startedAt = now();
  const intervalMs = output.isTTY ? terminalIntervalMs : pipeIntervalMs;
  let printedAt = startedAt;
  let rows = 0;
  let isShown = false;
  return {
    add(read) {
      rows += read;
      const time = now();
      if (time - printedAt < intervalMs) return;
      printedAt = time;
      const line = describeProgress(rows, time - startedAt, total);
      if (output.isTTY) output.raw.write(`${clearLine}${line}`);
      else output.write(`${line}\n`);
      isShown = true;
    },
    end() {
      if (isShown && output.isTTY) output.raw.write(clearLine);
    },
  };
}

/** Describes the progress in one line. */
function describeProgress(rows: number, elapsedMs: number, total: number | undefined): string {
  const perSecond = Math.round((1_000 * rows) / Math.max(1, elapsedMs));
  const rate = `${perSecond.toLocaleString('en')} rows/s`;
  if (total === undefined) return `verified ${rows.toLocaleString('en')} rows, ${rate}`;
  const secondsLeft = Math.ceil(Math.max(0, total - rows) / Math.max(1, perSecond));
  return `verified ${rows.toLocaleString('en')} of about ${total.toLocaleString('en')} rows, ${rate}, ${secondsLeft} s left`;
}
