import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { magicNumbers } from '../../src/contract/service/magic-numbers.ts';
import { runLedger } from '../kit/staff-command.ts';
import { createTill, type Till } from '../kit/till.ts';
import { rehearse } from './session-files.ts';

async function exported(till: Till, id: string): Promise<string> {
  const { out } = await runLedger(till.config.database.file, ['show', id, '--as-transcript'], {
    loadTranscriptHead: async () => ({
      ...{ menu: resolve('fixtures/menus/shop.yaml'), merchant: 'Demo Shop', aggregator: 'africastalking' },
      serviceCode: '*713*5#',
    }),
  });
  return out;
}

test.each(magicNumbers.map(({ name, ending }) => [name, `0249876${ending}`]))(
  'a payment with the outcome %s and the redial after it are rehearsed from the ledger, with its fee',
  async (_, payer) => {
    const till = await createTill({
      service: { fees: { ussd: { basisPoints: 150, fixedMinor: 7 } } },
      configure: (config) => Object.assign(config.timings, { quoteTimeoutMs: 1_000 }),
    });
    await till.pay(payer);
    await till.clock.advance(200_000);
    await till.phone(payer).dial('*713*5#');
    const { id } = await till.only(payer);
    const text = await exported(till, id);
    expect(text).toContain("- price: '20.00'\n    fee: '0.37'");
    const file = join(till.folder, 'exported.yaml');
    writeFileSync(file, text);
    const { out } = await rehearse([file]);
    expect(out, text).toMatch(/^ok .* 5 screens/);
  },
);
