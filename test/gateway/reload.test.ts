import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { actionLimits } from '../../src/gateway/access/action-store.ts';
import type { Config, FileConfig } from '../../src/gateway/config/schema.ts';
import { loadMenu } from '../../src/menu/file/load.ts';
import type { Menu } from '../../src/menu/schema.ts';
import { UserError } from '../../src/shared/errors.ts';
import { temporaryFolder } from '../kit/folder.ts';
import { callStaff, staffActions, withStaff } from '../kit/staff.ts';
import { createTill, paidEvent, type Till } from '../kit/till.ts';

/** A menu that sells one ticket. */
function ticketMenu(price: string): Menu {
  const file = join(temporaryFolder(), 'menu.yaml');
  writeFileSync(
    file,
    `
languages: [en]
start: welcome
screens:
  welcome:
    kind: choose
    text: "{merchant}"
    options:
      - { label: "Ticket, GHS ${price}", set: { payer: own, amount: "${price}" }, to: confirm }
  confirm: { kind: confirm, text: "Pay {amount}?", to: done }
  done: { kind: end, text: "Approve {charge}" }
`,
  );
  const loaded = loadMenu(file);
  if (!loaded.ok) throw new Error(loaded.errors.map(({ message }) => message).join('\n'));
  return loaded.menu;
}

type ConfigMerchant = Config['merchants'][number];

/** Returns the configuration of a till with a changed merchant. */
function withMerchant({ config }: { config: FileConfig }, changed: Partial<ConfigMerchant>): Config {
  return { ...config, merchants: config.merchants.map((merchant) => ({ ...merchant, ...changed })) };
}

/** Returns the configuration of a till with changed settings of one channel. */
function withChannel({ config }: Till, id: string, changed: Partial<Config['channels'][number]>): Config {
  return {
    ...config,
    channels: config.channels.map((channel) => (channel.id === id ? { ...channel, ...changed } : channel)),
  };
}

const merchantOf = ({ merchants: [merchant] }: Config) => merchant as ConfigMerchant;
const setMenu = (menu: Menu) => (config: Config) => {
  merchantOf(config).menu = menu;
};

test('a dialogue ends with the menu that it began with, and the next one has the new menu', async () => {
  const till = await createTill({ configure: setMenu(ticketMenu('20.00')) });
  const phone = till.phone('0244123456');
  await phone.dial();
  expect(await phone.send('1')).toContain('Pay GHS 20.00?');
  expect(till.gateway().reload(withMerchant(till, { menu: ticketMenu('30.00') }))).toEqual([
    'merchant demo-shop: menu (screens welcome)',
  ]);
  await till.clock.advance(2_500);
  await phone.send('7');
  expect(await till.only('0244123456')).toMatchObject({ goodsMinor: 2_000 });
  expect(await till.pay('0201234567', ['1'])).toContain('Pay GHS 30.00?');
});

test('a dialogue outlives several reloads', async () => {
  const till = await createTill({ configure: setMenu(ticketMenu('20.00')) });
  const phone = till.phone('0244123456');
  await phone.dial();
  for (const price of ['30.00', '40.00', '50.00', '60.00'])
    till.gateway().reload(withMerchant(till, { menu: ticketMenu(price) }));
  expect(await phone.send('1')).toContain('Pay GHS 20.00?');
});

test('after a restart with another menu, an input has no meaning on its screens: the dialogue starts again', async () => {
  const till = await createTill({ configure: setMenu(ticketMenu('20.00')) });
  const phone = till.phone('0244123456');
  await phone.dial();
  expect(await phone.send('1')).toContain('Pay GHS 20.00?');
  await till.restart(async () => setMenu(ticketMenu('30.00'))(till.config));
  await till.clock.advance(2_500);
  expect(await phone.send('7')).toContain('Ticket, GHS 30.00');
  expect(await till.find('0244123456')).toEqual([]);
  expect(await phone.send('1')).toContain('Pay GHS 30.00?');
  await till.clock.advance(2_500);
  await phone.send('7');
  expect(await till.only('0244123456')).toMatchObject({ goodsMinor: 3_000 });
});

test('new secrets of channels and webhooks hold at once, and a removed channel is gone', async () => {
  const till = await createTill();
  const { clock, gateway } = till;
  const row = await till.prompted();
  const rotated = { ...withChannel(till, 'africastalking', { secret: 'n'.repeat(30) }) };
  const changes = gateway().reload({
    ...rotated,
    merchants: withMerchant(till, { webhookSecrets: ['w'.repeat(30)] }).merchants,
    channels: rotated.channels.filter(({ id }) => id !== 'hubtel'),
  });
  expect(changes).toEqual([
    'merchant demo-shop: webhookSecrets',
    'channel hubtel: removed',
    'channel africastalking: secret',
  ]);
  expect(till.logged()).not.toContain('n'.repeat(30));
  await expect(till.pay('0201234567')).rejects.toThrow('no screen');
  await expect(till.pay('0201234567', ['1'], 'hubtel')).rejects.toThrow('no screen');
  expect(await till.pay('0201234567', ['1'], 'nalo')).toContain('Amount');
  const old = await till.deliver(paidEvent(row));
  const current = await till.deliver(paidEvent(row), { secret: 'w'.repeat(30), signedAt: clock.now() });
  expect([old.status, current.status]).toEqual([401, 200]);
});

test('calls use the new key of a merchant', async () => {
  const till = await createTill();
  const next = withMerchant(till, { key: 'sk_test_another_key' });
  expect(till.gateway().reload(next)).toEqual(['merchant demo-shop: key']);
  await till.pay('0244123456');
  await till.clock.advance(5_000);
  expect(till.calls.map(({ name, answer }) => `${name} ${answer}`)).toContain('create 401');
});

test('a change that needs a restart changes nothing, and neither do files with errors', async () => {
  let files = () => ({}) as Config;
  const readConfig = () => files();
  const till = await createTill({
    configure: setMenu(ticketMenu('20.00')),
    overrides: () => ({ readConfig }),
  });
  const { gateway } = till;
  const next = withMerchant(till, { menu: ticketMenu('30.00') });
  files = () => ({ ...next, timings: { ...next.timings, leaseMs: 40_000 } });
  expect(() => gateway().reload()).toThrow('timings changed, which only a restart applies');
  files = () => {
    throw new UserError('dialtill.yaml: 1 configuration error');
  };
  expect(() => gateway().reload()).toThrow('1 configuration error');
  files = () => {
    throw new TypeError('a fault of the program');
  };
  expect(() => gateway().reload()).toThrow(UserError);
  expect(till.logged()).toMatch(/"fault":"a fault of the program","stack":"TypeError: .*not reloaded/);
  expect(await till.pay('0244123456', [])).toContain('GHS 20.00');
  files = () => next;
  expect(gateway().reload()).toHaveLength(1);
  expect(gateway().reload()).toEqual([]);
  expect(await till.pay('0201234567', [])).toContain('GHS 30.00');
});

test('an admin reloads, and the actions record it', async () => {
  let files: (() => Config) | undefined;
  const till = await createTill({
    configure: withStaff,
    overrides: () => ({ readConfig: () => files?.() as Config }),
  });
  files = () => ({ ...till.config, log: { ...till.config.log, level: 'debug' } });
  const refused = await callStaff(till, 'adwoa', '/reload', {});
  expect(refused).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } });
  files = () => withMerchant(till, { name: 'Other Shop' });
  const changes = ['merchant demo-shop: name'];
  expect(await callStaff(till, 'adwoa', '/reload', {})).toEqual({ status: 200, body: { changes } });
  expect((await callStaff(till, 'kofi', '/reload', {})).status).toBe(403);
  expect(await staffActions(till)).toMatchObject([
    { action: 'reload', result: 'refused', detail: { reason: expect.stringContaining('log changed') } },
    { actor: 'adwoa', action: 'reload', result: 'done', detail: { changes } },
  ]);
});

test('a reload beyond the bound of actions applies nothing, and none is applied without its record', async () => {
  let next: Config | undefined;
  const till = await createTill({
    configure: withStaff,
    overrides: () => ({ readConfig: () => next as Config }),
  });
  next = withMerchant(till, { name: 'Other Shop' });
  const sql = `INSERT INTO staff_action (at, actor, action, result, subject_kind, subject_id, merchant_id, livemode, detail)
    VALUES (?, 'adwoa', 'x', 'done', 'day', 'd', null, 0, '{}')`;
  const args = [till.clock.now()];
  await till.write(Array.from({ length: actionLimits.person }, () => ({ sql, args })));
  const refused = await callStaff(till, 'adwoa', '/reload', {});
  expect(refused).toMatchObject({ status: 429, body: { error: { code: 'too_many_actions' } } });
  expect(await till.pay('0201234567', [])).not.toContain('Other Shop');
  await till.clock.advance(24 * 3_600_000);
  expect((await callStaff(till, 'adwoa', '/reload', {})).status).toBe(200);
  expect(await till.pay('0244123456', [])).toContain('Other Shop');
  expect((await staffActions(till)).filter(({ action }) => action === 'reload')).toHaveLength(1);
});

test('of two reloads at once, the files that were read last stay in use', async () => {
  let name = 'First Shop';
  const till: Till = await createTill({
    configure: withStaff,
    overrides: () => ({ readConfig }),
  });
  function readConfig(): Config {
    const read = withMerchant(till, { name });
    if (name === 'First Shop') queueMicrotask(() => till.gateway().reload());
    name = 'Last Shop';
    return read;
  }
  expect((await callStaff(till, 'adwoa', '/reload', {})).status).toBe(200);
  expect(await till.pay('0244123456', [])).toContain('Last Shop');
});
