import { expect, test } from 'vitest';
import { aggregators } from '../../src/aggregators/registry.ts';
import { findOutcome, findPaymentInputs, outcomes } from '../../src/cli/commands/trigger/simulated-payer.ts';
import { registerTrigger } from '../../src/cli/commands/trigger/trigger.ts';
import { unpaidReasons } from '../../src/contract/merchant/payment-reason.ts';
import { magicNumbers } from '../../src/contract/service/magic-numbers.ts';
import type { FileConfig } from '../../src/gateway/config/schema.ts';
import { loadMenu } from '../../src/menu/file/load.ts';
import { createProofContext } from '../../src/menu/prove/channel.ts';
import { type Clock, systemClock } from '../../src/shared/clock.ts';
import { systemIds } from '../../src/shared/ids.ts';
import { runCommand } from '../kit/command.ts';
import { createTill, testConfig } from '../kit/till.ts';

/* `dialtill trigger`: dialling and waiting are tested with real programs, in `process/dev`. */

const approvals = { mtn: 'm', telecel: 't', at: 'a', glo: 'g', unknown: 'u' };

const localTime = '2026-03-06T09:00';

function loaded(name: string) {
  const menu = loadMenu(`fixtures/menus/${name}.yaml`);
  if (!menu.ok) throw new Error(`${name} is no menu`);
  return menu.menu;
}

function useMenu(config: FileConfig, name: string): void {
  config.merchants = config.merchants.map((merchant) => ({ ...merchant, menu: loaded(name) }));
}

test.each(['shop', 'tickets', 'market-till', 'church-giving', 'meter-simple'])(
  'the shortest inputs of %s open a payment at a real till',
  async (name) => {
    const { style, sequenced } = aggregators.nalo ?? {};
    if (!style) throw new Error('no aggregator nalo');
    const channel = { ...style, merchant: 'Demo Shop', sequenced: sequenced ?? false };
    const context = createProofContext({ channel, operator: 'mtn', approvals, localTime });
    const inputs = findPaymentInputs(loaded(name), context);
    const till = await createTill({ configure: (config) => useMenu(config, name) });
    await till.pay('0244123901', inputs, 'nalo');
    expect(await till.only('0244123901')).toMatchObject({ status: 'accepted' });
  },
);

test('a menu that needs answers of the merchant has no shortest payment', () => {
  const channel = { merchant: 'Demo Shop', alphabet: 'gsm' as const, sequenced: true, limit: 160 };
  const context = createProofContext({ channel, operator: 'mtn', approvals, localTime });
  expect(findPaymentInputs(loaded('kitchen'), context)).toBeUndefined();
});

test('each reason is the name of a magic number of the service, and of the notification', () => {
  for (const { event, reason, review, ending } of outcomes) {
    expect(magicNumbers).toContainEqual(expect.objectContaining({ name: reason, ending }));
    if (event === 'payment.not_paid') expect(unpaidReasons).toContain(reason);
    expect(review !== undefined, reason).toBe(event === 'payment.review_opened');
  }
});

test('a review is triggered by the word of the notification too', () => {
  expect(findOutcome('payment.review_opened', 'amount_mismatch')).toMatchObject({ ending: '906' });
  expect(findOutcome('payment.review_opened', 'paid_over')).toMatchObject({ ending: '916' });
  expect(findOutcome('payment.not_paid', 'insufficient_funds')).toMatchObject({ ending: '903' });
});

const noClock = (): never => {
  throw new Error('nothing is dialled');
};
const never: Clock = { ...systemClock(), sleep: noClock };

function run(args: readonly string[], change: Partial<FileConfig> = {}) {
  const config = { ...testConfig('nowhere', 'sk_test_0123456789'), ...change };
  useMenu(config, 'kitchen');
  return runCommand(['trigger', ...args], (program, streams) =>
    registerTrigger(program, {
      ...{ clock: never, fetch: noClock, ...streams },
      ids: { ...systemIds(systemClock()), digits: () => '123' },
      loadConfig: () => config,
    }),
  );
}

test.each([
  [[], 'expected an event: payment.opened, payment.paid, payment.not_paid, payment.review_opened'],
  [['payment.lost'], 'no event payment.lost can be triggered'],
  [['endpoint.test'], 'dialtill merchant endpoints test <endpoint>'],
  [
    ['payment.paid', '--reason', 'rain'],
    '--reason: expected one of paid, rail_slow, rail_unknown for payment.paid, found rain',
  ],
  [['payment.paid', '--channel', 'other'], 'mtn-madapi, mnotify, generic, found other'],
  [['payment.paid', '--wait', 'long'], '--wait: expected seconds from 0 to 600, found long'],
  [['payment.paid'], "leads to no payment now without answers of the merchant's own system: give the inputs"],
])('wrong usage %j exits with 2 and says what is expected', async (args, message) => {
  const { out, err, code } = await run(args);
  expect({ out, code }).toEqual({ out: '', code: 2 });
  expect(err).toContain(message);
});

test('a gateway with live keys has no simulated payers', async () => {
  const { service } = testConfig('nowhere', 'sk_test_0123456789');
  const { err, code } = await run(['payment.paid'], { service: { ...service, simulator: false } });
  expect({ err, code }).toEqual({ err: expect.stringContaining('only a gateway with test keys'), code: 2 });
});

test('the list names each event with its reasons', async () => {
  const { out, code } = await run(['--list', '--json']);
  expect(code).toBe(0);
  expect(JSON.parse(out).data).toEqual(outcomes);
});
