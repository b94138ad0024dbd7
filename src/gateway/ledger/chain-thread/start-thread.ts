import type { Worker } from 'node:worker_threads';
import { UserError } from '../../../shared/errors.ts';
import { startThread } from '../../../shared/thread.ts';
import type { AuditChainApart } from '../verify.ts';
import type { ChainAudit } from '../verify-chain.ts';
import type { ChainThreadData, ChainThreadMessage } from './main.ts';

/** Audits the chain in a thread of its own. */
export type ChainThread = {
  audit: AuditChainApart;
  /** Ends the thread, if it runs. */
  stop(): Promise<void>;
};

/**
 * Creates the thread that audits the chain of a file. It reads the file as it is when the audit begins, a moment after the
 * main thread's snapshot: the audits of the chain and of the rows need no row of each other.
 */
export function createChainThread(file: string): ChainThread {
  let thread: Worker | undefined;

  const audit: AuditChainApart = (expectation, { start, onRows }) =>
    new Promise<ChainAudit>((resolve, reject) => {
      const workerData: ChainThreadData = { file, start, expectation };
      thread = startThread({ name: 'main', from: import.meta.url, workerData });
      thread.on('message', (message: ChainThreadMessage) => {
        if ('rows' in message) onRows(message.rows);
        else if ('audit' in message) resolve(message.audit);
        else reject(new UserError(`cannot audit the chain of ${file}: ${message.fault}`));
      });
      thread.once('error', reject);
      // After a result, this changes nothing.
      thread.once('exit', () =>
        reject(new UserError(`the audit of the chain of ${file} ended without a result`)),
      );
    });

  return {
    audit,
    async stop() {
      await thread?.terminate();
    },
  };
}
