import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, type TestContext } from 'vitest';

/** Creates an empty folder that is deleted after the test. A concurrent test passes its own `onTestFinished`. */
export function temporaryFolder(finished: TestContext['onTestFinished'] = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), 'dialtill-'));
  finished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
