import { expect, test } from 'vitest';
import { preferenceWrites } from '../../../src/gateway/dialogue/dialler-store.ts';
import { ledgerStore } from '../../../src/gateway/ledger/ledger-store.ts';
import { verifyLedger } from '../../../src/gateway/ledger/verify.ts';
import type { PreferenceChange } from '../../../src/menu/state/state.ts';
import { testClock } from '../../kit/clock.ts';
import { msisdnOf } from '../../kit/msisdn.ts';
import { noAudits } from '../../kit/no-audits.ts';
import { openOwnStore } from '../../kit/own-store.ts';

test('each change of a setting is recorded with the values after it, so that the audit accepts it and reports any other', async () => {
  const clock = testClock();
  const { store } = openOwnStore('gateway', { clock });
  const ledger = ledgerStore(store);
  const key = { merchantId: 'demo-shop', livemode: 0, msisdn: msisdnOf('0244123456') } as const;
  const changes: PreferenceChange[] = [
    { kind: 'language', language: 'tw' },
    { kind: 'requests', blocksRequests: true },
    { kind: 'language', language: 'en' },
    { kind: 'requests', blocksRequests: false },
    { kind: 'requests', blocksRequests: true },
  ];
  for (const change of changes) {
    await clock.advance(1_000);
    expect(await store.apply(preferenceWrites(key, change, clock.now()))).toBe(true);
    expect((await verifyLedger(ledger, noAudits)).faults).toEqual([]);
  }
  const [count] = await store.read.get<[number]>('SELECT count(*) FROM dialler_setting_change');
  expect(count).toBe(changes.length);
  await store.apply([
    { sql: 'UPDATE dialler_setting SET opted_out_at = NULL WHERE opted_out_at IS NOT NULL', args: [] },
  ]);
  expect((await verifyLedger(ledger, noAudits)).faults).toMatchObject([
    { fault: expect.stringContaining('differs') },
  ]);
});
