import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createService } from '../../src/service/create.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { systemIds } from '../../src/shared/ids.ts';
import { createSilentLog } from './log.ts';

/** Returns the OpenAPI document that the service serves with default settings. */
export async function servedDocument(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'dialtill-'));
  const clock = systemClock();
  const service = createService(
    { databaseFile: join(folder, 'service.db'), adminToken: 'an-unused-admin-token' },
    { clock, ids: systemIds(clock), fetch, log: createSilentLog() },
  );
  try {
    return await (await service.app.request('/openapi.json')).text();
  } finally {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
