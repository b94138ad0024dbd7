import { expect, test } from 'vitest';
import { registerPrompts } from '../../src/cli/commands/dial/prompts.ts';
import { testClock } from '../kit/clock.ts';
import { runCommand } from '../kit/command.ts';
import { closedUrl, type Peer, startPeer } from '../simulator/peer.ts';

const phone = '0244123456';

/** Starts a handset with this number of open prompts. */
async function handset(count: number): Promise<Peer> {
  const peer = await startPeer();
  for (let n = 1; n <= count; n++) {
    peer.prompts.push({
      ...{ id: `prm_${n}`, session_id: `pay_${n}`, amount_minor: 2_020 + n, merchant_name: 'Demo Shop' },
      expires_at: '2026-03-06T09:05:00.000Z',
    });
  }
  return peer;
}

/** Runs `dialtill prompts` as the program does. */
function prompts(serviceUrl: string, args: readonly string[], simulator = true) {
  return runCommand(['prompts', ...args], (program, streams) =>
    registerPrompts(program, {
      ...{ ...streams, fetch, clock: testClock() },
      loadConfig: () => ({ serviceUrl, simulator }),
    }),
  );
}

test('the open prompts of a phone are listed', async () => {
  const { url } = await handset(2);
  const { out, code } = await prompts(url, ['--msisdn', '+233 24 412 3456']);
  expect(out.split('\n').map((line) => line.trim())).toEqual([
    'prompt  amount     merchant   expires (UTC)',
    'prm_1   GHS 20.21  Demo Shop  2026-03-06 09:05:00',
    'prm_2   GHS 20.22  Demo Shop  2026-03-06 09:05:00',
    '',
  ]);
  expect(code).toBe(0);
  const { out: json } = await prompts(url, ['--msisdn', phone, '--json']);
  expect(JSON.parse(json).data.map(({ id }: { id: string }) => id)).toEqual(['prm_1', 'prm_2']);
});

test('the only open prompt is approved or declined without --prompt', async () => {
  const peer = await handset(1);
  expect(await prompts(peer.url, ['--msisdn', phone, '--approve'])).toEqual({
    ...{ out: 'Approved: pay GHS 20.21 to Demo Shop\n', err: '', code: 0 },
  });
  expect(peer.prompts).toEqual([]);
  const other = await handset(1);
  const { out } = await prompts(other.url, ['--msisdn', phone, '--decline', '--json']);
  expect(JSON.parse(out)).toMatchObject({ prompt: { id: 'prm_1' }, outcome: 'declined' });
});

test('with several open prompts, --prompt is required', async () => {
  const peer = await handset(2);
  const { err, code } = await prompts(peer.url, ['--msisdn', phone, '--approve']);
  expect({ err, code }).toEqual({
    err: '2 prompts are open: choose one with --prompt: prm_1, prm_2\n',
    code: 2,
  });
  expect(peer.prompts).toHaveLength(2);
  await prompts(peer.url, ['--msisdn', phone, '--approve', '--prompt', 'prm_2']);
  expect(peer.prompts.map(({ id }) => id)).toEqual(['prm_1']);
});

test('a decision without an open prompt exits with 4; an empty list is not a failure', async () => {
  const peer = await handset(0);
  expect(await prompts(peer.url, ['--msisdn', phone])).toMatchObject({
    ...{ out: 'no open prompt on 0244123456\n', code: 0 },
  });
  expect(await prompts(peer.url, ['--msisdn', phone, '--approve'])).toMatchObject({
    ...{ err: 'no open prompt on 0244123456\n', code: 4 },
  });
});

test('a wrong PIN exits with 5 and prints the reason', async () => {
  const peer = await handset(1);
  const { err, code } = await prompts(peer.url, ['--msisdn', phone, '--approve', '0000']);
  expect({ err, code }).toEqual({
    err: 'the simulated phone rejected the decision: wrong_pin (Wrong PIN.)\n',
    code: 5,
  });
  expect(peer.prompts).toHaveLength(1);
});

test('a missing handset exits with 1', async () => {
  const url = await closedUrl();
  const { err, code } = await prompts(url, ['--msisdn', phone]);
  expect(err).toContain(`no simulated phone at ${url}`);
  expect(code).toBe(1);
});

test.each([
  ['no phone', [], 'such as 0244123456'],
  ['two decisions', ['--msisdn', phone, '--approve', '--decline'], 'choose one'],
  ['a PIN of letters', ['--msisdn', phone, '--approve', 'abcd'], 'such as 1234'],
  ['a prompt without a decision', ['--msisdn', phone, '--prompt', 'prm_1'], '--prompt needs'],
])('%s is wrong usage', async (_, args, hint) => {
  const { err, code } = await prompts('http://127.0.0.1:9', args);
  expect(err).toContain(hint);
  expect(code).toBe(2);
});

test('prompts of a live service are not available', async () => {
  const { err, code } = await prompts('http://127.0.0.1:9', ['--msisdn', phone], false);
  expect(err).toContain('real phones');
  expect(code).toBe(2);
});
