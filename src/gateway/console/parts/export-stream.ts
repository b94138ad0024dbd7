import { type Clock, monotonicMs } from '../../../shared/clock.ts';
import { csvLine, plainCell } from '../../support/export/csv.ts';
import type { PageRequest, UnknownCursor } from '../../support/page.ts';

/** The forms of phone numbers in an export: masked, or whole as 233XXXXXXXXX. */
export const exportNumbers = ['masked', 'whole'] as const;
export type ExportNumbers = (typeof exportNumbers)[number];

/** Which part of an export to read, and how to write it. */
export type PartRequest = PageRequest & { numbers: ExportNumbers };

export type ExportPart = {
  /** CSV in UTF-8, without the names of the columns. Bytes cross the thread without a copy. */
  lines: Uint8Array<ArrayBuffer>;
  rows: number;
  /** The cursor of the next part; null after the last one. */
  next: string | null;
};

/** A column of a file: its name, and its cell of a row. */
export type FileColumn<Row> = readonly [name: string, cell: (row: Row, numbers: ExportNumbers) => string];

/** Returns the first line of a file, with its line break: the names of the columns. */
export function fileHead(columns: readonly FileColumn<never>[]): string {
  return csvLine(columns.map(([name]) => plainCell(name)));
}

/** Returns a line of a file, with its line break. */
export function fileLine<Row>(columns: readonly FileColumn<Row>[], row: Row, numbers: ExportNumbers): string {
  return csvLine(columns.map(([, cell]) => cell(row, numbers)));
}

/** Returns the part of a file that a page of rows is. */
export function filePart<Row>(
  { data, next }: { data: readonly Row[]; next: string | null },
  lineOf: (row: Row) => string,
): ExportPart {
  return { lines: new TextEncoder().encode(data.map(lineOf).join('')), rows: data.length, next };
}

/** How an export ended, and its rows. `stopped`: the browser did not read on. `failed`: a read failed, and the file is incomplete. */
export type ExportEnd = { rows: number; end: 'complete' | 'cut' | 'stopped' | 'failed' };

export type ExportStreamOptions = {
  /** The names of the columns. */
  head: string;
  /** Returns texts about what a file with so many rows does not contain. */
  notesOf(rows: number, isCut: boolean): string[];
  maxRows: number;
  /** The rows of one part. */
  partRows: number;
  clock: Pick<Clock, 'now' | 'monotonic' | 'sleep'>;
  read(page: PageRequest): Promise<ExportPart | UnknownCursor>;
  /** Called once, before the last lines of a complete file. When it fails, so does the export. */
  onEnd(end: ExportEnd): Promise<void>;
  onFault(fault: unknown): void;
};

/** The time between two parts, beside that of a part: an export uses at most a third of a processor, because payers dial. */
const restOfRead = 2;
const maxRestMs = 500;

/** Creates the file of an export. It reads one part at a time, and no faster than the browser. */
export function createExportStream(options: ExportStreamOptions): ReadableStream<Uint8Array> {
  const { head, notesOf, maxRows, partRows, clock, read, onEnd, onFault } = options;
  let rows = 0;
  let after: string | undefined;
  let readMs = 0;
  let hasEnded = false;

  async function end(how: ExportEnd['end']): Promise<void> {
    if (hasEnded) return;
    hasEnded = true;
    await onEnd({ rows, end: how });
  }

  async function readOn(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    const before = after === undefined ? head : '';
    if (readMs > 0) await clock.sleep(Math.min(maxRestMs, readMs * restOfRead));
    const startedAt = monotonicMs(clock);
    const part = await read({ limit: Math.min(partRows, maxRows - rows), after });
    readMs = monotonicMs(clock) - startedAt;
    // The browser went away during the read.
    if (hasEnded) return;
    if (part === 'unknown_cursor') throw new Error('a row of the export no longer exists');
    rows += part.rows;
    const isCut = part.next !== null && rows >= maxRows;
    after = part.next ?? undefined;
    if (part.next !== null && !isCut) return controller.enqueue(joinBytes(before, part.lines, ''));
    await end(isCut ? 'cut' : 'complete');
    const notes = notesOf(rows, isCut).map((text) => csvLine([plainCell(text)]));
    controller.enqueue(joinBytes(before, part.lines, notes.join('')));
    controller.close();
  }

  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          await readOn(controller);
        } catch (fault) {
          onFault(fault);
          await end('failed').catch(onFault);
          controller.error(fault);
        }
      },
      cancel: () => end('stopped').catch(onFault),
    },
    // Nothing is read before the browser asks for it.
    { highWaterMark: 0 },
  );
}

/** Returns bytes between two texts. Those of a part without both are not copied. */
function joinBytes(before: string, bytes: Uint8Array, after: string): Uint8Array {
  return before + after === '' ? bytes : Buffer.concat([Buffer.from(before), bytes, Buffer.from(after)]);
}
