import { signIn } from './browser.ts';

/** Exports that run one after the other. */
export type RepeatedExport = {
  /** Ends the present export. @returns the complete files, and the lines of all. */
  finish(): Promise<{ completed: number; lines: number }>;
};

/** Reads the export of the whole list again and again. */
export async function repeatExport(url: string): Promise<RepeatedExport> {
  const { cookie } = await signIn(url);
  const stopping = new AbortController();
  const work = { completed: 0, lines: 0 };
  const run = async () => {
    while (!stopping.signal.aborted) {
      const answer = await fetch(`${url}/console/export.csv?from=2020-01-01`, {
        headers: { cookie },
        signal: stopping.signal,
      });
      if (answer.status !== 200 || !answer.body)
        throw new Error(`the export was answered with ${answer.status}`);
      for await (const chunk of answer.body) for (const byte of chunk) if (byte === 10) work.lines++;
      work.completed++;
    }
  };
  const running = run().catch((fault: unknown) => {
    if (!stopping.signal.aborted) throw fault;
  });
  return {
    async finish() {
      stopping.abort();
      await running;
      return work;
    },
  };
}
