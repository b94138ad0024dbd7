import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { UserError } from '../shared/errors.ts';
import { replacePrivately } from '../sqlite/private-file.ts';

const demoState = z.object({
  adminToken: z.string(),
  merchantId: z.string(),
  key: z.string(),
  webhookSecret: z.string(),
  /** Secrets by channel id. */
  channelSecrets: z.record(z.string(), z.string()),
  lookupsSecret: z.string(),
  /** The key of the console and of notifications; a new one for the state of an earlier version. */
  consoleKey: z.string().optional(),
  /** The advance of the clock in milliseconds: the databases contain times of that future. */
  advancedMs: z.int().min(0),
  /** Time of the last start, by the system clock. Commands use the service that was started last. */
  startedAt: z.number().optional(),
});

/** The state that the demo keeps between two starts. */
export type DemoState = z.infer<typeof demoState>;

/**
 * Reads the state of the demo. Returns `undefined` when the file does not exist.
 *
 * @throws UserError when the file is not valid.
 */
export function readDemoState(file: string): DemoState | undefined {
  if (!existsSync(file)) return undefined;
  try {
    return demoState.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (cause) {
    throw new UserError(`${file} cannot be read. Remove its folder to start a new demo.`, { cause });
  }
}

/** Replaces the state of the demo. Only the owner can read the file: it contains secrets. */
export function writeDemoState(file: string, state: DemoState): void {
  replacePrivately(file, `${JSON.stringify(state, null, 2)}\n`);
}
