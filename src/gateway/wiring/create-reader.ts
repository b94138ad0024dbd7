import type { Worker } from 'node:worker_threads';
import { startThread } from '../../shared/thread.ts';
import { createThreadReader } from '../reading/thread-reader.ts';
import type { GatewayContext } from './context.ts';
import type { ThreadData } from './read-thread.ts';
import { type GatewayReader, gatewayReads } from './reads.ts';
import type { Storage } from './storage.ts';

/** Reads of a server that run at once; those of a file have one connection. */
const serverLanes = 3;

/** Time of one statement on a server. */
const maxStatementMs = 5_000;

/** On a server, longer than the server gives a read, so that a slow one ends there, and not with the thread of all lanes. */
const serverReadMs = 4 * maxStatementMs;

/** The memory of the thread's JavaScript. A read that needs more ends the thread, not the gateway. */
const maxHeapMb = 256;

/** Starts the thread that reads. */
export function startReadThread(workerData: ThreadData): Worker {
  const resourceLimits = { maxOldGenerationSizeMb: maxHeapMb };
  return startThread({ name: 'read-thread', from: import.meta.url, workerData, resourceLimits });
}

/** Creates the reader for people and merchants' systems, which ends with the gateway. Nothing starts before the first read. */
export function createGatewayReader(
  { config, networkClock, log, createReader }: GatewayContext,
  { store }: Storage,
): GatewayReader {
  if (createReader) return createReader(store);
  const location = config.database;
  const isOnFile = location.file !== undefined;
  const lanes = isOnFile ? 1 : serverLanes;
  const start = () => startReadThread({ location, lanes, maxStatementMs });
  const limits = isOnFile ? {} : { maxReadMs: serverReadMs };
  return createThreadReader(gatewayReads, { start, lanes, clock: networkClock, log, limits });
}
