import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, type TestContext } from 'vitest';

/** An empty folder that goes away with the test. A test that runs beside others hands in its own `finished`. */
export function temporaryFolder(finished: TestContext['onTestFinished'] = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), 'dialtill-'));
  finished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
