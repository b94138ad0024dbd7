import { expect, type TestContext } from 'vitest';
import { type Cli, type LaunchSettings, launch, type Program } from '../kit/launch.ts';
import { findLeaks } from '../kit/leaks.ts';
import { compiled } from './compiled.ts';

/** Returns how to run `dialtill` as it is compiled for this run. */
export const dialtill = (): Cli => [process.execPath, compiled('src/cli/main.ts')];

/** Starts a program of this project. It is killed at the end of the test. */
export function startProgram(
  context: Pick<TestContext, 'onTestFinished'>,
  file: string,
  args: readonly string[],
  settings: LaunchSettings = {},
): Program {
  return startCommand(context, ['node', compiled(file), ...args], settings);
}

/** Starts a command as a shell would; `node` is the one that runs the tests. It is killed at the end of the test. */
export function startCommand(
  { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
  [program = '', ...args]: readonly string[],
  settings: LaunchSettings = {},
): Program {
  const running = launch([program === 'node' ? process.execPath : program, ...args], settings);
  onTestFinished(async () => {
    await running.end('SIGKILL');
    const lines = `${running.stdout()}\n${running.stderr()}`.split('\n');
    const logged = lines.filter((line) => line.startsWith('{"level"'));
    expect(logged.flatMap(findLeaks), 'secrets in the log').toEqual([]);
  });
  return running;
}
