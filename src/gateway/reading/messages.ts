import type { StoreFaultKind } from '../../sqlite/store.ts';
import type { ReadName } from './reader.ts';

/** A read that the thread runs. `input` is that of the read without the store: plain data. */
export type ReadRequest = { id: number; name: ReadName; input: readonly unknown[] };

/** The result of a read, plain data, or why it failed. `kind` is that of the store's fault. */
export type ReadAnswer =
  | { id: number; value: unknown }
  | { id: number; fault: { kind: StoreFaultKind | undefined; message: string } };
