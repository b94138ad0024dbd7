import pg from 'pg';
import { moveLedger } from '../../src/gateway/upkeep/move-ledger.ts';
import { systemClock } from '../../src/shared/clock.ts';

/* Moves the ledger of a file to a server, and stops before the last write. */

const [file = '', url = ''] = process.argv.slice(2);
const query = pg.Client.prototype.query as (...args: unknown[]) => Promise<unknown>;
let commits = 0;
pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
  // The first one is that of the migration.
  if (args[0] !== 'COMMIT' || ++commits === 1) return query.apply(this, args);
  process.stdout.write('before the last write\n');
  return new Promise(() => {});
} as typeof pg.Client.prototype.query;

await moveLedger({ from: { file }, to: { url, maxConnections: 1 }, clock: systemClock(), onTable() {} });
