import { Worker } from 'node:worker_threads';
import { UserError } from '../../shared/errors.ts';
import type { AuditChainApart } from '../ledger/verify.ts';
import type { ChainAudit } from '../ledger/verify-chain.ts';
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
      thread = startThread({ file, start, expectation });
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

/** Starts the thread from the compiled program, or from source in development and in tests. */
function startThread(workerData: ChainThreadData): Worker {
  const options = { workerData };
  if (!import.meta.url.endsWith('.ts')) return new Worker(new URL('./main.js', import.meta.url), options);
  // A thread does not inherit the loader of TypeScript.
  const [loader, program] = [import.meta.resolve('tsx/esm/api'), new URL('./main.ts', import.meta.url).href];
  const load = `import('${loader}').then(({ register }) => register()).then(() => import('${program}'))`;
  return new Worker(load, { ...options, eval: true });
}
