import { expect, test } from 'vitest';
import { registerMerchant } from '../../src/cli/commands/merchant.ts';
import { createNotified } from '../kit/receiver.ts';
import { runAs } from '../kit/staff-command.ts';
import type { Till } from '../kit/till.ts';

const run = (till: Till, ...args: string[]) =>
  runAs(till, 'adwoa', ['merchant', 'endpoints', ...args], registerMerchant);

test('endpoints are added, tested, listed, rotated, replayed, disabled, enabled and removed by commands', async () => {
  const { till, receiver } = await createNotified();
  receiver.answer = () => ({ status: 410 });
  expect((await run(till, 'list')).out).toBe('no endpoints\n');
  const added = await run(till, 'add', 'demo-shop', 'https://shop.example/hooks');
  const [, id = '', secret] = /endpoint {2}(ep_\w+) .*\nsecret {4}(whsec_\S+)\n/.exec(added.out) ?? [];
  expect(secret).toBeDefined();
  expect((await run(till, 'log', id)).out).toBe('nothing was sent\n');
  expect((await run(till, 'test', id)).out).toMatch(/^sending evt_/);
  await till.clock.advance(1_000);
  expect((await run(till, 'log', id)).out).toMatch(
    /endpoint\.test {2}evt_\w+ {2}waiting, next .*\n {2}1\. .* HTTP 401 {2}wrong signature/,
  );
  expect((await run(till, 'list')).out).toMatch(/demo-shop {2}https:\/\/shop\.example\/hooks {2}failing/);
  const again = await run(till, 'add', 'demo-shop', 'https://shop.example/hooks');
  expect(again.code).toBe(1);
  expect(again.err).toContain(`the endpoint ${id} has this address already. For a new secret, use "rotate"`);
  expect((await run(till, 'rotate', id)).out).toContain('secret    whsec_');
  const days = ['--from', '2026-03-06', '--to', '2026-03-06'];
  expect((await run(till, 'replay', id, ...days)).out).toBe('sending the notifications of 0 payments\n');
  expect((await run(till, 'replay', id, '--from', '2026-02-30', '--to', '2026-03-06')).code).toBe(2);
  expect((await run(till, 'resend', id, 'evt_unknown')).err).toContain(
    'the endpoint has no event evt_unknown',
  );
  expect((await run(till, 'disable', id)).out).toBe('disabled https://shop.example/hooks of demo-shop\n');
  expect((await run(till, 'list')).out).toContain('disabled: person');
  expect((await run(till, 'enable', id)).out).toBe('enabled https://shop.example/hooks of demo-shop\n');
  expect((await run(till, 'remove', id)).out).toBe('removed https://shop.example/hooks of demo-shop\n');
  expect(JSON.parse((await run(till, 'list', '--json')).out)).toEqual({ data: [], total: 0, next: null });
});
