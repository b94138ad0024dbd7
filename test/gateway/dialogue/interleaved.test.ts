import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { aggregatorNames, simulatedAggregators } from '../../../src/aggregators/registry.ts';
import type { Dial, SimulatedAggregator } from '../../../src/aggregators/simulated-aggregator.ts';
import { createGateway } from '../../../src/gateway/create.ts';
import { ReplyGate } from '../../../src/gateway/dialogue/reply-gate.ts';
import { systemIds } from '../../../src/shared/ids.ts';
import { createLog } from '../../../src/shared/log.ts';
import { type Msisdn, operatorByPrefix } from '../../../src/shared/msisdn.ts';
import { testClock } from '../../kit/clock.ts';
import { demoChannelOf } from '../../kit/dialects.ts';
import { temporaryFolder } from '../../kit/folder.ts';
import { msisdnOf } from '../../kit/msisdn.ts';
import { createRandom } from '../../kit/random.ts';
import { sized } from '../../kit/size.ts';
import { testConfig } from '../../kit/till.ts';

/**
 * Each channel takes each path through the menu at least three times, with a hundred requests in flight. More dialogues
 * find rarer races.
 */
const dialogues = Number(process.env.USSD_DIALOGUES ?? sized({ quick: 300, all: 2_000 }));

const inFlight = 100;

const seed = 20_260_306;

/** One payer's dialogue, derived from its number. */
type Dialogue = { channel: string; simulated: SimulatedAggregator; dial: Dial; inputs: readonly string[] };

function dialogueOf(number: number): Dialogue {
  const channel = aggregatorNames[number % aggregatorNames.length] ?? '';
  const simulated = simulatedAggregators[channel];
  if (!simulated) throw new Error(`no simulated aggregator ${channel}`);
  const { serviceCode, settings } = demoChannelOf(channel);
  const msisdn = numberOf('24', number);
  const dial: Dial = {
    session: `ussd-${number}`,
    msisdn,
    operator: operatorByPrefix(msisdn),
    serviceCode,
    dialled: serviceCode,
    settings,
  };
  return { channel, simulated, dial, inputs: inputsOf(number) };
}

/** Paths through the shop's menu with amounts, numbers and bills that no other dialogue has. One in nine confirms. */
function inputsOf(number: number): readonly string[] {
  const amount = `${10 + (number % 4_900)}.${10 + (number % 90)}`;
  const other = `0${numberOf('20', number).slice(3)}`;
  const bill = `INV-${String(number % 10_000).padStart(4, '0')}`;
  const ways: readonly (readonly string[])[] = [
    ['1', amount, '1'],
    ['1', amount, '2'],
    ['2', other, '2', amount, '2'],
    ['2', 'nobody', other, '2', amount, '2'],
    ['3', bill, amount, '2'],
    ['3', 'INV', bill, '0', amount, '2'],
    ['4', '1', amount, '2'],
    ['9', '1', 'much', amount, '5', '2'],
    ['2', other, '2', amount],
  ];
  return ways[Math.floor(number / aggregatorNames.length) % ways.length] ?? [];
}

function numberOf(prefix: string, number: number): Msisdn {
  return msisdnOf(`233${prefix}${String(1_000_000 + number)}`);
}

/** A gateway without a worker, on a clock that does not advance. */
function openGateway() {
  const folder = temporaryFolder();
  const clock = testClock();
  const config = testConfig(folder, 'sk_test_0123456789abcdef');
  const { limits } = config;
  const gateway = createGateway(
    {
      ...config,
      limits: { ...limits, merchant: { perMinute: null } },
      database: { ...config.database, file: join(folder, 'gateway.db') },
    },
    { clock, ids: systemIds(clock), log: createLog({ level: 'silent', pretty: false }) },
  );
  onTestFinished(() => gateway.stop());
  const paths = new Map(config.channels.map(({ id, secret }) => [id, `/ussd/${id}/${secret}`]));

  /** Sends the request after `typed` inputs. Returns the complete response. */
  return async ({ channel, simulated, dial, inputs }: Dialogue, typed: number): Promise<string> => {
    const { method, to, contentType, body } = simulated.request(dial, inputs.slice(0, typed));
    const init = method === 'GET' ? { method } : { method, headers: { 'content-type': contentType }, body };
    const answer = await gateway.app.request(`http://gateway.test${paths.get(channel)}${to}`, init);
    return `${answer.status} ${answer.headers.get('content-type')} ${await answer.text()}`;
  };
}

/** Every response of every dialogue, one dialogue after the other. */
async function inTurn(all: readonly Dialogue[]): Promise<string[][]> {
  const send = openGateway();
  const answers: string[][] = [];
  for (const one of all) {
    const own: string[] = [];
    for (let typed = 0; typed <= one.inputs.length; typed++) own.push(await send(one, typed));
    answers.push(own);
  }
  return answers;
}

/** Every response of every dialogue, with a hundred concurrent dialogues of all channels in each round. */
async function interleaved(all: readonly Dialogue[]): Promise<string[][]> {
  const send = openGateway();
  const random = createRandom(`${seed}`);
  const answers = all.map((): string[] => []);
  const waiting = random.shuffle(all.map((_, index) => index));
  let live = waiting.splice(0, 3 * inFlight);
  while (live.length > 0) {
    const asking = random.shuffle(live).slice(0, inFlight);
    await Promise.all(
      asking.map(async (index) => {
        const own = answers[index] ?? [];
        own.push(await send(all[index] as Dialogue, own.length));
      }),
    );
    live = live.filter((index) => (answers[index]?.length ?? 0) <= (all[index]?.inputs.length ?? 0));
    live.push(...waiting.splice(0, 3 * inFlight - live.length));
  }
  return answers;
}

test(`${dialogues} concurrent dialogues on all channels get the same bytes as each one alone`, async () => {
  const all = Array.from({ length: dialogues }, (_, number) => dialogueOf(number));
  const alone = await inTurn(all);
  const among = await interleaved(all);
  const mixed = all.flatMap((_, index) => (String(alone[index]) === String(among[index]) ? [] : [index]));
  const [first] = mixed;
  expect(among[first ?? 0], `${mixed.length} dialogues differ, the first is ${first}`).toEqual(
    alone[first ?? 0],
  );
  expect(mixed).toEqual([]);

  const answers = alone.flat();
  expect(answers.every((answer) => answer.startsWith('200 '))).toBe(true);
  expect(answers.length).toBeGreaterThan(4 * dialogues);
  // Most responses are unique, so a response of another dialogue would be detected.
  expect(new Set(answers).size).toBeGreaterThan(answers.length / 2);
  expect(answers.filter((answer) => answer.includes('Approve GHS')).length).toBeGreaterThan(dialogues / 10);
  expect(answers.filter((answer) => answer.includes('Cancelled.')).length).toBeGreaterThan(dialogues / 2);
}, 180_000);

test('the END screen of another gateway counts as sent at the latest possible time', async () => {
  const clock = testClock();
  const openedAt = clock.now();
  expect(await new ReplyGate(clock, true).sent('dlg_1', openedAt)).toBe(openedAt + 10_000);
  expect(await new ReplyGate(clock).sent('dlg_1', openedAt)).toBe(openedAt);
});

test('the END screen of this gateway counts from the moment in which it left, also where several gateways run', async () => {
  const clock = testClock();
  const gate = new ReplyGate(clock, true);
  const openedAt = clock.now();
  const end = gate.register('dlg_1', 'end');
  await clock.advance(700);
  end('sent');
  expect(await gate.sent('dlg_1', openedAt)).toBe(openedAt + 700);
});

test('a menu screen that this gateway sends again is not the END screen that another one sends', async () => {
  const clock = testClock();
  const gate = new ReplyGate(clock, true);
  gate.register('dlg_1', 'continue')('sent');
  await clock.advance(1_000);
  const openedAt = clock.now();
  await clock.advance(200);
  gate.register('dlg_1', 'continue')('sent');
  expect(await gate.sent('dlg_1', openedAt)).toBe(openedAt + 10_000);
  expect(gate.lastLeft('dlg_1')).toBe(openedAt + 200);
});
