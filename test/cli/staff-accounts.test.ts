import { expect, test } from 'vitest';
import { registerStaff } from '../../src/cli/commands/staff/staff.ts';
import { createStaffClient } from '../../src/cli/staff/staff-client.ts';
import { runCommand } from '../kit/command.ts';
import { createConsoleTill, setUp } from '../kit/console.ts';
import { staffSecrets } from '../kit/staff.ts';
import type { Till } from '../kit/till.ts';

async function run(till: Till, ...args: string[]) {
  return runCommand(['staff', ...args], (program, { stdout }) => {
    const fetchTill: typeof fetch = async (input, init) =>
      till.gateway().app.request(new URL(String(input)).pathname, init);
    const access = { url: 'http://gateway.test', urlFrom: '--url', name: 'ama', secret: staffSecrets.ama };
    const staffClient = async () => createStaffClient({ fetch: fetchTill, clock: till.clock }, access);
    registerStaff(program, { stdout, noColor: true, staffClient });
  });
}

test('accounts are added, listed, disabled, enabled and reset by commands', async () => {
  const till = await createConsoleTill();
  expect((await run(till, 'list')).out).toBe('no accounts\n');
  const added = await run(till, 'add', 'kwame', '--role', 'agent');
  const [, code = ''] = /^account {2}kwame {2}agent\ncode {5}([A-Z2-7-]{19})\n/.exec(added.out) ?? [];
  const kwame = await setUp(till, 'kwame', code);
  const browser = await kwame.signIn();
  expect((await run(till, 'list')).out).toMatch(/kwame {2}agent {2}- +active/);
  expect((await run(till, 'disable', 'kwame')).out).toBe('disabled kwame\n');
  expect((await browser.get('/me')).location).toBe('/console/sign-in');
  expect((await run(till, 'enable', 'kwame')).out).toBe('enabled kwame\n');
  const reset = JSON.parse((await run(till, 'reset', 'kwame', '--json')).out);
  expect(reset).toMatchObject({ account: { name: 'kwame', role: 'agent', state: 'invited' } });
  expect((await run(till, 'reset', 'unknown')).err).toContain('no account unknown');
  expect((await run(till, 'add', 'esi', '--role', 'cook')).code).not.toBe(0);
});
