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
