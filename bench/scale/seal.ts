import { addNextRows } from '../../src/gateway/insights/insight-store.ts';
import { ledgerStore } from '../../src/gateway/ledger/ledger-store.ts';
import { maxBlockRows, sealBlock } from '../../src/gateway/ledger/seal.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { connect } from '../../src/sqlite/driver.ts';
import { createSqliteStore } from '../../src/sqlite/sqlite.ts';

const countedAtOnce = 10_000;

/** Seals and counts all rows of a ledger with the gateway's own code. The file is written once, so that no commit waits for the disk. */
export async function seal(file: string): Promise<void> {
  const clock = systemClock();
  const connection = connect(file);
  const store = createSqliteStore({ file, schema: 'gateway', clock, connect: () => connection });
  connection.pragma('synchronous = OFF');
  const ledger = ledgerStore(store);
  for (;;) {
    const block = await sealBlock(ledger, clock, undefined);
    if (block === undefined || block.rows < maxBlockRows) break;
  }
  while (await addNextRows(store, countedAtOnce));
  await store.close();
}
