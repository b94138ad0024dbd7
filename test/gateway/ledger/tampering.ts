import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ledgerStore } from '../../../src/gateway/ledger/ledger-store.ts';
import { sealBlock } from '../../../src/gateway/ledger/seal.ts';
import { createSealKey, type SealKey } from '../../../src/gateway/ledger/seal-key.ts';
import { Database } from '../../../src/sqlite/driver.ts';
import { createSqliteStore } from '../../../src/sqlite/sqlite.ts';
import { testClock } from '../../kit/clock.ts';
import { temporaryFolder } from '../../kit/folder.ts';
import { callStaff, withStaff } from '../../kit/staff.ts';
import { createTill, paidEvent, type Till } from '../../kit/till.ts';
import { withDatabase, withoutTriggers } from '../../kit/with-database.ts';

export const payers = {
  paid: '0244000001',
  declined: '0244000002',
  suspended: '0244000003',
  open: '0244000004',
};

/** The number that accepts no requests from other phones. */
export const blockedNumber = '233244000009';

export const sealSecret = Buffer.alloc(32, 7).toString('base64');
export const publicKey = createSealKey(sealSecret).publicKey;

/** A ledger, and its state at an earlier time. */
type Ledgers = { whole: Buffer; earlier: Buffer };

let real: Promise<Ledgers> | undefined;

/** Creates the signed ledger of a till with a payment, a decline, a contradiction, an open prompt and a block. */
async function makeLedger(): Promise<Ledgers> {
  const till = await createTill({
    overrides: () => ({ maxIdleMs: 1_000 }),
    configure: (config) => {
      config.ledger.sealKey = sealSecret;
      withStaff(config);
    },
  });
  await till.paidPayment(payers.paid);
  await till.prompted(payers.declined);
  await till.declined(payers.declined);
  await till.clock.advance(2_000);
  const earlier = copyOf(till);
  till.loseWebhooks();
  const suspended = await till.prompted(payers.suspended);
  await till.deliverHandled(paidEvent(suspended, 'evt_other', { amount_minor: 120 }));
  const { id } = await till.prompted(payers.open);
  await callStaff(till, 'ama', `/collections/${id}/notes`, { text: 'the payer called' });
  blockRequests(till);
  await till.clock.advance(2_000);
  return { whole: copyOf(till), earlier };
}

function blockRequests({ config, clock }: Till): void {
  const live = new Database(config.database.file);
  const values = [blockedNumber, clock.now(), clock.now()];
  live.prepare(`INSERT INTO dialler_setting VALUES ('demo-shop', 0, ?, NULL, ?, ?)`).run(values);
  live.prepare(`INSERT INTO dialler_setting_change VALUES (NULL, 'demo-shop', 0, ?, NULL, ?, ?)`).run(values);
  live.close();
}

function copyOf({ config, folder }: Till): Buffer {
  const copy = join(folder, 'copy.db');
  rmSync(copy, { force: true });
  withDatabase(config.database.file, (live) => live.prepare('VACUUM INTO ?').run(copy), { readonly: true });
  return readFileSync(copy);
}

function placeLedger(bytes: Buffer): string {
  const path = join(temporaryFolder(), 'tampered.db');
  writeFileSync(path, bytes, { mode: 0o600 });
  return path;
}

/** Returns the path of the ledger as it was earlier. */
export async function earlierLedger(): Promise<string> {
  real ??= makeLedger();
  return placeLedger((await real).earlier);
}

/** Computes the totals of accounts from the sealed postings, and empties the other ones, as an attacker with the file could. */
export const recountTotals = `DELETE FROM totals_mark; DELETE FROM payment_total; DELETE FROM screen_total; DELETE FROM account_total; DELETE FROM account_day_total;
  INSERT INTO account_day_total SELECT at / 86400000, account, livemode, sum(amount_minor), count(*) FROM posting
    WHERE seq <= coalesce((SELECT max(posting_seq) FROM seal), 0) GROUP BY 1, 2, 3;
  INSERT INTO account_total SELECT account, livemode, sum(amount_minor), sum(postings) FROM account_day_total GROUP BY 1, 2`;

/** Seals the whole ledger again with the program's own functions, as an attacker with the file could. */
export async function reseal(path: string, key?: SealKey): Promise<void> {
  const file = new Database(path);
  withoutTriggers(file, () => file.exec(`DELETE FROM seal; ${recountTotals}`));
  file.close();
  const clock = testClock();
  const store = createSqliteStore({ file: path, schema: 'gateway', clock });
  const ledger = ledgerStore(store);
  while (await sealBlock(ledger, clock, key)) {
    // Seals one block at a time.
  }
  await store.close();
}

/**
 * Copies a real ledger and changes it as an attacker with the file could: without its triggers, which are created again
 * afterwards. Returns its path.
 */
export async function tampered(tamper: (file: Database) => void): Promise<string> {
  real ??= makeLedger();
  const path = placeLedger((await real).whole);
  withDatabase(path, (file) => withoutTriggers(file, tamper));
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
