import type { GatewayContext } from './context.ts';
import type { Reader } from './reading/reader.ts';
import { startReadThread } from './reading/start-thread.ts';
import { createThreadReader } from './reading/thread-reader.ts';
import type { Storage } from './storage.ts';

/** Reads of a server that run at once; those of a file have one connection. */
const serverLanes = 3;

/** Time of one statement on a server. */
const maxStatementMs = 5_000;

/** On a server, longer than the server gives a read, so that a slow one ends there, and not with the thread of all lanes. */
const serverReadMs = 4 * maxStatementMs;

/** Creates the reader for people and merchants' systems, which ends with the gateway. Nothing starts before the first read. */
export function createGatewayReader(
  { config, networkClock, log, createReader }: GatewayContext,
  { store, schema }: Storage,
): Reader {
  if (createReader) return createReader(store);
  const location = config.database;
  const isOnFile = location.file !== undefined;
  const lanes = isOnFile ? 1 : serverLanes;
  const start = () => startReadThread({ location, lanes, maxStatementMs, schema });
  const limits = isOnFile ? {} : { maxReadMs: serverReadMs };
  return createThreadReader({ start, lanes, clock: networkClock, log, limits });
}
