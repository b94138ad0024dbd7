import { expect, onTestFinished, test } from 'vitest';
import type { Gateway } from '../../src/gateway/create.ts';
import { createDatabase, runSql } from '../kit/postgres.ts';
import { startGateway } from './gateway.ts';

/** Sends the request of a session after these inputs. Returns its screen. */
async function send({ app }: Gateway, text: string): Promise<string> {
  const body = new URLSearchParams({
    ...{ sessionId: 's-1', phoneNumber: '+233244123456', networkCode: '62001', text, serviceCode: '*713*5#' },
  });
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const path = '/ussd/africastalking/secret-of-africastalking-0123456789';
  return (await app.request(path, { method: 'POST', headers, body: body.toString() })).text();
}

test('a gateway that sends an END screen again becomes the home of its collection', async () => {
  const url = await createDatabase();
  const [one, two] = [await startGateway(url), await startGateway(url)];
  onTestFinished(async () => void (await Promise.all([one.stop(), two.stop()])));
  for (const text of ['', '1', '1*20']) expect(await send(one, text)).toMatch(/^CON /);
  const end = await send(one, '1*20*1');
  expect(end).toMatch(/^END Approve/);
  const home = async () => (await runSql(url, 'SELECT home FROM job')) as [{ home: string }];
  const [before] = await home();
  expect(await send(two, '1*20*1')).toBe(end);
  const [after] = await home();
  expect(after.home).toMatch(/^gw_/);
  expect(after.home).not.toBe(before.home);
});
