import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { temporaryFolder } from '../../kit/folder.ts';
import { approve, deliverHandled, loseWebhooks, prompted } from '../../kit/scenes.ts';
import { createTill, paidEvent } from '../../kit/till.ts';
import { withoutTriggers } from '../../kit/without-triggers.ts';

export const payers = {
  paid: '0244000001',
  declined: '0244000002',
  suspended: '0244000003',
  open: '0244000004',
};

let real: Promise<Buffer> | undefined;

/** Creates the ledger of a till with a payment, a decline, a contradiction and an open prompt. */
async function makeLedger(): Promise<Buffer> {
  const till = await createTill({ overrides: () => ({ maxIdleMs: 1_000 }) });
  await prompted(till, payers.paid);
  await approve(till, payers.paid);
  await till.untilStatus(payers.paid, 'paid');
  await prompted(till, payers.declined);
  await till.service.phone.decline((await till.prompt(payers.declined)).id);
  await till.untilStatus(payers.declined, 'failed');
  loseWebhooks(till);
  const suspended = await prompted(till, payers.suspended);
  await deliverHandled(till, paidEvent(suspended, 'evt_other', { amount_minor: 120 }));
  await prompted(till, payers.open);
  await till.clock.advance(2_000);
  const copy = join(till.folder, 'copy.db');
  const live = new Database(till.config.database.file, { readonly: true });
  live.prepare('VACUUM INTO ?').run(copy);
  live.close();
  return readFileSync(copy);
}

/**
 * Copies a real ledger and changes it as an attacker with the file could: without its triggers, which are created again
 * afterwards. Returns its path.
 */
export async function tampered(tamper: (file: Database.Database) => void): Promise<string> {
  real ??= makeLedger();
  const path = join(temporaryFolder(), 'tampered.db');
  writeFileSync(path, await real);
  const file = new Database(path);
  withoutTriggers(file, tamper);
  file.close();
  return path;
}

/** Returns the id of a payer's collection. */
export async function collectionOf(payer: string): Promise<string> {
  let id = '';
  await tampered((file) => {
    const found = file.prepare('SELECT id FROM collection WHERE payer = ?').pluck();
    id = String(found.get(`233${payer.slice(1)}`));
  });
  return id;
}
