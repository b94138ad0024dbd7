import type { EpochMs } from '../../src/shared/clock.ts';
import { listen } from '../../src/shared/http/server.ts';
import type { SeedFiles } from './files.ts';
import { type SeededPrograms, startSeeded } from './seeded-programs.ts';

/** People of the console on a seeded ledger, who need no password. Their names are those of its support staff. */
const people = [
  { name: 'ama', role: 'lead' },
  { name: 'kofi', role: 'finance' },
  { name: 'esi', role: 'agent' },
  { name: 'adwoa', role: 'auditor' },
] as const;

/** Serves the console on a seeded ledger at the end of its week. */
export async function serveSeededConsole(
  files: SeedFiles,
  endsAt: EpochMs,
): Promise<{ url: string; programs: SeededPrograms; stop(): Promise<void> }> {
  const served: { programs?: SeededPrograms } = {};
  const fetch = (request: Request) => {
    if (!served.programs) throw new Error('the gateway has not started');
    return served.programs.answer(request);
  };
  const server = await listen({ fetch }, { host: '127.0.0.1', port: 0 }, 'the port of the console');
  const url = server.url.replace('127.0.0.1', 'localhost');
  const secretsKey = Buffer.alloc(32, 9).toString('base64');
  const programs = await startSeeded(files, endsAt, {
    settings: { console: { publicUrl: url, secretsKey } },
    overrides: { openAccounts: people },
  });
  served.programs = programs;
  return {
    ...{ url, programs },
    async stop() {
      await server.close(0);
      await programs.stop();
    },
  };
}
