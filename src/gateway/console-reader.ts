import type { ConsoleReader } from './console/reader.ts';
import { startReadThread } from './console/thread/start-thread.ts';
import { createThreadReader } from './console/thread/thread-reader.ts';
import type { GatewayContext } from './context.ts';
import type { Storage } from './storage.ts';

/** Reads of a server that run at once; those of a file have one connection. */
const serverLanes = 3;

/** Time of one statement on a server. */
const maxStatementMs = 5_000;

/** The reader of the console, which ends with the gateway. */
export type ClosableReader = ConsoleReader & { close(): Promise<void> };

/** Creates the reader of the console; `undefined` without `console` in the configuration. Nothing starts before the first read. */
export function createConsoleReader(
  { config, networkClock, log, createReader }: GatewayContext,
  { store, schema }: Storage,
): ClosableReader | undefined {
  if (!config.console) return undefined;
  if (createReader) return { ...createReader(store), close: async () => {} };
  const location = config.database;
  const lanes = location.file === undefined ? serverLanes : 1;
  const start = () => startReadThread({ location, lanes, maxStatementMs, schema });
  return createThreadReader({ start, lanes, clock: networkClock, log });
}
