import { expect, test } from 'vitest';
import { listEarlierVersions } from '../kit/earlier-ledger.ts';
import { expectUpgrade, writeLedger, writtenVersion } from './upgrade.ts';

test.runIf(writtenVersion)('writes the ledger of this version in a file', () =>
  writeLedger(String(writtenVersion), 'sqlite'),
);

test('there is a ledger of a version before this one', () => {
  expect(listEarlierVersions()).not.toEqual([]);
});

test.each(listEarlierVersions())(
  'a ledger that %s wrote in a file is upgraded, verified, and paid into, and each open payment continues',
  (version) => expectUpgrade(version, 'sqlite'),
);
