import { unreachable } from '../../shared/errors.ts';
import type { Store } from '../../sqlite/store.ts';
import type { ReadOwner } from './fair-queue.ts';

/** Reads by name. Inputs and results are plain data, so that a read may run in a thread of its own. There is no write. */
export type ReadTable = Readonly<Record<string, (store: Store, ...input: never[]) => Promise<unknown>>>;

/** The input of a read, without the store. */
type InputOf<Read> = Read extends (store: Store, ...input: infer Input) => unknown ? Input : never;

/** The reads of a table for one person or key. */
export type Reads<Table extends ReadTable> = {
  [Name in keyof Table]: (...input: InputOf<Table[Name]>) => ReturnType<Table[Name]>;
};

/** Reads of a table for people and merchants' systems. */
export type Reader<Table extends ReadTable> = {
  /** Returns the reads that run in the turns of a person or a key. */
  by(owner: ReadOwner): Reads<Table>;
  /** Gives up all reads. */
  close(): Promise<void>;
};

/** Creates the reads of a table from the function that runs one: by its name, with its input. */
export function bindReads<Table extends ReadTable>(
  table: Table,
  run: (name: string, input: readonly unknown[]) => Promise<unknown>,
): Reads<Table> {
  const reads = Object.keys(table).map((name) => [name, (...input: unknown[]) => run(name, input)]);
  return Object.fromEntries(reads) as Reads<Table>;
}

/** Runs a read of a store by its name. @param input that of the read, in its order. */
export async function runRead(
  table: ReadTable,
  store: Store,
  name: string,
  input: readonly unknown[],
): Promise<unknown> {
  return table[name]?.(store, ...(input as never[]));
}

/**
 * Why a read has no result.
 *
 * - `crowded`: too many reads of this person or key, or of its merchant, are waiting. Others are served.
 * - `busy`: too many reads of all are waiting, or this one has waited too long.
 * - `slow`: it took too long.
 * - `lost`: the thread has ended meanwhile. Another one runs the next read.
 * - `closed`: the gateway is stopping.
 * - `digits`: a person who may not see whole numbers has searched for digits too often.
 */
export type ReadFaultKind = 'crowded' | 'busy' | 'slow' | 'lost' | 'closed' | 'digits';

/** A read that was given up. The ledger itself works, and so do payments. */
export class ReadFault extends Error {
  override readonly name = 'ReadFault';
  readonly kind: ReadFaultKind;

  constructor(kind: ReadFaultKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

/** Returns what a page says about a read that was given up. */
export function readFaultText(kind: ReadFaultKind): string {
  switch (kind) {
    case 'crowded':
      return 'Too many of your pages and searches are waiting. Load the page again when they are there.';
    case 'busy':
      return 'Many people are searching at this moment. Load the page again after some seconds.';
    case 'slow':
      return 'This search takes too long. Narrow it down, for example with a day, and try again.';
    case 'lost':
      return 'The search was interrupted. Load the page again.';
    case 'closed':
      return 'The gateway is restarting. Load the page again after some seconds.';
    case 'digits':
      return 'You have searched for many numbers by their digits within an hour. Try again later, or search for the reference.';
    default:
      return unreachable(kind);
  }
}
