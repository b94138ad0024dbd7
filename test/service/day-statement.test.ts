import { expect, test } from 'vitest';
import { ask } from './admin-client.ts';
import { type Bench, create, initiate, newMerchant, openMerchant } from './support.ts';

const minute = 60_000;
const endings = { paid: '233244000901', declined: '233244000902', short: '233244000906' };

/** Creates a session whose simulated payer answers by the ending of the number. */
async function charge(bench: Bench, key: string, ending: keyof typeof endings): Promise<string> {
  const id = await create(bench, key, { msisdn: endings[ending], reference: `INV-${ending}` });
  await initiate(bench, key, id);
  await bench.clock.advance(4 * minute);
  return id;
}

async function linesOf(bench: Bench, merchantId: string, query: string): Promise<string[]> {
  const answer = await ask(bench, 'GET', `/merchants/${merchantId}/statement?${query}`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  return (await answer.text()).trimEnd().split('\r\n').slice(1);
}

test('the statement of a day has each charge of the merchant once, with what was charged and what became of it', async () => {
  const { bench, merchantId, key } = await openMerchant();
  const other = await newMerchant(bench, 'Kofi Pharmacy');
  await charge(bench, other.key, 'paid');
  const paid = await charge(bench, key, 'paid');
  await charge(bench, key, 'declined');
  const open = await charge(bench, key, 'short');
  const accepted = await charge(bench, key, 'short');
  const rejected = await charge(bench, key, 'short');
  const returned = await charge(bench, key, 'short');
  for (const [id, resolution] of [
    [accepted, 'accepted'],
    [rejected, 'rejected'],
    [returned, 'rejected'],
  ])
    await ask(bench, 'POST', `/sessions/${id}/review`, { resolution });
  await ask(bench, 'POST', `/sessions/${returned}/refund`, { reference: 'MP26030', by: 'Ama' });
  const lines = await linesOf(bench, merchantId, 'date=2026-03-06');
  expect(lines.map((line) => line.split(','))).toEqual([
    [paid, '2026-03-06T09:04:03.000Z', 'paid', '20.00', '0.20', '20.20', ''],
    [open, expect.any(String), 'in_review', '9.90', '0.20', '10.10', ''],
    [accepted, expect.any(String), 'paid', '9.90', '0.20', '10.10', ''],
    [rejected, expect.any(String), 'refund_due', '9.90', '0.20', '10.10', ''],
    [
      returned,
      expect.any(String),
      'refunded',
      '9.90',
      '0.20',
      '10.10',
      expect.stringMatching(/^2026-03-06T/),
    ],
  ]);
  expect(await linesOf(bench, merchantId, 'date=2026-03-07')).toEqual([]);
  expect(await linesOf(bench, merchantId, 'date=2026-03-06&livemode=true')).toEqual([]);
  for (const date of ['2026-02-30', '6 March'])
    expect((await ask(bench, 'GET', `/merchants/${merchantId}/statement?date=${date}`)).status).toBe(400);
});
