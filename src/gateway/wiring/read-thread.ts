import { once } from 'node:events';
import { workerData } from 'node:worker_threads';
import { errorMessage } from '../../shared/errors.ts';
import { runThread } from '../../shared/thread.ts';
import { type Snapshots, StoreFault, type StoreFaultKind } from '../../sqlite/store.ts';
import { openSnapshots, type SnapshotLimits } from '../database/database-location.ts';
import { runRead } from '../reading/reads.ts';
import { type ReadAnswer, type ReadRequest, threadReady } from '../reading/thread-reader.ts';
import { gatewayReads } from './reads.ts';

/*
 * The program of the thread that reads for people and merchants' systems. Searches and exports take tens of milliseconds of processor time at
 * once, for which payers would otherwise wait.
 */

/** The database of the thread, and its limits. */
export type ThreadData = { location: Parameters<typeof openSnapshots>[0] } & SnapshotLimits;

async function answer(snapshots: Snapshots, { id, name, input }: ReadRequest): Promise<ReadAnswer> {
  try {
    return { id, value: await snapshots.read((store) => runRead(gatewayReads, store, name, input)) };
  } catch (fault) {
    return { id, fault: { kind: findKind(fault), message: errorMessage(fault) } };
  }
}

/** Drizzle wraps the fault of a query. */
function findKind(fault: unknown): StoreFaultKind | undefined {
  if (fault instanceof StoreFault) return fault.kind;
  return fault instanceof Error && fault.cause instanceof StoreFault ? fault.cause.kind : undefined;
}

/** Returns the bytes of a result, which the other thread then has without a copy. */
function listBytes(answered: ReadAnswer): ArrayBuffer[] {
  if (!('value' in answered) || typeof answered.value !== 'object' || answered.value === null) return [];
  return Object.values(answered.value).flatMap((one) =>
    one instanceof Uint8Array && one.buffer instanceof ArrayBuffer ? [one.buffer] : [],
  );
}

await runThread(async ({ port }) => {
  const { location, ...limits } = workerData as ThreadData;
  const snapshots = await openSnapshots(location, limits);
  // Messages that arrived before wait until there is a listener.
  port.on('message', async (request: ReadRequest) => {
    const answered = await answer(snapshots, request);
    port.postMessage(answered, listBytes(answered));
  });
  port.postMessage(threadReady);
  await once(port, 'close');
});
