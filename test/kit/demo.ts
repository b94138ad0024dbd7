import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { onTestFinished } from 'vitest';
import { aggregators } from '../../src/aggregators/registry.ts';
import { registerDial } from '../../src/cli/commands/dial/dial.ts';
import { type Demo, serveDemo } from '../../src/demo/serve.ts';
import { loadConfig } from '../../src/gateway/config/load.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { systemIds } from '../../src/shared/ids.ts';
import { type CommandResult, runCommand } from './command.ts';
import { temporaryFolder } from './folder.ts';
import { createSilentLog } from './log.ts';

const clock = systemClock();

/** Starts the demo in `data` under a folder, where the commands look for it. Stops it after the test. */
export async function startDemo(
  folder = temporaryFolder(),
  settings: Partial<Parameters<typeof serveDemo>[0]> = {},
  onBroken?: () => void,
): Promise<Demo> {
  const options = { folder: join(folder, 'data'), host: '127.0.0.1', port: 0, servicePort: 0, ...settings };
  const demo = await serveDemo(options, createSilentLog(), onBroken);
  let stopping: Promise<void> | undefined;
  const stop = () => {
    stopping ??= demo.stop();
    return stopping;
  };
  onTestFinished(stop);
  return { ...demo, stop };
}

/** Runs `dialtill dial` in this process, against a running demo. */
export function dialDemo(demo: Demo, args: readonly string[]): Promise<CommandResult> {
  return runCommand(['dial', ...args], (program, streams) =>
    registerDial(program, {
      loadConfig() {
        const { channels, service } = loadConfig(demo.configFile, {}, aggregators);
        return { channels, gatewayUrl: demo.url, serviceUrl: service.url, simulator: service.simulator };
      },
      ...{ clock, ids: systemIds(clock), fetch, stdin: new PassThrough(), ...streams },
    }),
  );
}
