import type { TestContext } from 'vitest';
import type { Program } from '../kit/launch.ts';
import type { ServiceSettings, ServiceUp } from '../process/child-service.ts';
import { startProgram } from '../process/processes.ts';

/** Number of processes that have loaded the program and wait, because loading takes longer than most of them live. */
const standby = 2;

/** One process of the service. */
export type Life = Program & ServiceUp;

/** Starts processes of the service one after another with the same settings, and ends them with the test. */
export function openLives(context: TestContext, settings: ServiceSettings) {
  const load = () => startProgram(context, 'test/process/child-service.ts', [JSON.stringify(settings)]);
  const waiting = Array.from({ length: standby }, load);
  return {
    /** Starts the next process on the database. `moment` selects the point at which the process kills itself. */
    async next(moment = 'never'): Promise<Life> {
      const program = waiting.shift() ?? load();
      waiting.push(load());
      program.writeLine(moment);
      const up: ServiceUp = JSON.parse(await program.waitForOutput(/^\{"url".*\}$/m));
      return { ...program, ...up };
    },
  };
}
