import { workerData } from 'node:worker_threads';
import { errorMessage, UserError } from '../../../shared/errors.ts';
import { runThread, type ThreadContext } from '../../../shared/thread.ts';
import { openForReading } from '../../database/database-location.ts';
import type { Seal } from '../chain.ts';
import { ledgerStore } from '../ledger-store.ts';
import { auditChain, type ChainAudit, type ChainExpectation } from '../verify-chain.ts';

/* The program of the thread that audits the chain of a file, while the main thread audits its other rows. */

/** The input of the thread: plain data, and the public keys. */
export type ChainThreadData = {
  file: string;
  /** The block before the first one to audit. */
  start: Seal;
  expectation: ChainExpectation;
};

/** `rows`: how many were read since the last message. The last message is a result or a fault. */
export type ChainThreadMessage = { rows: number } | { audit: ChainAudit } | { fault: string };

const rowsPerMessage = 10_000;

async function audit({ port, isEnding }: ThreadContext): Promise<void> {
  const { file, start, expectation } = workerData as ChainThreadData;
  const post = (message: ChainThreadMessage) => port.postMessage(message);
  let rows = 0;
  const onRows = (read: number) => {
    if (isEnding()) throw new UserError('the audit was ended');
    rows += read;
    if (rows < rowsPerMessage) return;
    post({ rows });
    rows = 0;
  };
  const store = await openForReading({ file });
  try {
    post({ audit: await auditChain(ledgerStore(store), expectation, { start, onRows }) });
  } finally {
    await store.close();
  }
}

await runThread((context) =>
  audit(context).catch((fault) => context.port.postMessage({ fault: errorMessage(fault) })),
);
