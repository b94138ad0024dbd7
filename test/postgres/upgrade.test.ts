import { test } from 'vitest';
import { listEarlierVersions } from '../kit/earlier-ledger.ts';
import { expectUpgrade, writeLedger, writtenVersion } from '../upgrade/upgrade.ts';

test.runIf(writtenVersion)('writes the ledger of this version on a server', () =>
  writeLedger(String(writtenVersion), 'postgres'),
);

test.each(listEarlierVersions())(
  'a ledger that %s wrote on a server is upgraded, verified, and paid into, and each open payment continues',
  (version) => expectUpgrade(version, 'postgres'),
);
