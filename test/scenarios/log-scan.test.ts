import { expect, test } from 'vitest';
import { approve, prompted } from '../support/scenes.ts';
import { failedEvent, openTill, paidEvent, webhookSecret } from '../support/till.ts';

test('no number, key, secret, reference or body is in the log of payments, refusals and forgeries', async () => {
  const till = await openTill();
  const paid = await prompted(till, '0244123456');
  await approve(till, '0244123456');
  await till.untilStatus('0244123456', 'paid');
  await till.pay('0201234567', ['3', 'INV-4711', '35', '1'], 'nalo');
  const declined = await till.untilStatus('0201234567', 'initiated');
  await till.service.handset.decline((await till.prompt('0201234567')).id);
  await till.untilStatus('0201234567', 'failed');
  await till.deliver(failedEvent(paid, 'evt_late'));
  await till.deliver(paidEvent(declined, 'evt_forged'), { secret: 'whsec_of_somebody_else_1234' });
  await till.deliver('{"broken', {});
  await till
    .gateway()
    .app.request('http://gateway.test/ussd/nalo/wrong-secret', { method: 'POST', body: '0551112223' });
  await till.phone('0551112223').dial('*713*5#');
  await till.clock.advance(5_000);

  const log = till.logged();
  expect(log.split('\n').length).toBeGreaterThan(30);
  const numbers = ['244123456', '201234567', '551112223'];
  const secrets = [
    till.config.merchants[0]?.key ?? '',
    webhookSecret,
    ...till.config.channels.map(({ secret }) => secret),
  ];
  const rows = await Promise.all([till.only('0244123456'), till.only('0201234567')]);
  const keys = rows.flatMap(({ createKey, initiateKey, createBody }) => [createKey, initiateKey, createBody]);
  const found = [...numbers, ...secrets, ...keys, 'INV-4711', 'goods_minor', '"pin"'].filter((one) =>
    log.includes(one),
  );
  expect(found).toEqual([]);
});
