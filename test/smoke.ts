import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { smoke } from './kit/smoke.ts';

/** `npm run smoke`: runs the built program as a new user would. Exits with 1 if anything fails. */
const folder = mkdtempSync(join(tmpdir(), 'dialtill-smoke-'));
try {
  const report = await smoke([process.execPath, resolve('dist/cli/main.js')], folder, (text) =>
    process.stdout.write(text),
  );
  const paid = report.statuses.every((status) => status === 'paid');
  if (!paid || !report.ledgerOk || report.exitCode !== 0) {
    process.stderr.write(`smoke: failed ${JSON.stringify(report)}\n`);
    process.exitCode = 1;
  } else {
    process.stdout.write('smoke: ok\n');
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
