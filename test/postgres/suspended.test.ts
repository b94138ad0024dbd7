import { expect, test } from 'vitest';
import { createDatabase, runSql } from '../kit/postgres.ts';
import { type GatewayProgram, startShop } from '../process/shop.ts';

const secret = 'secret-of-kairos-0123456789';

/** Sends a request of a session as an aggregator that does not number them. Returns its screen. */
async function send(gateway: GatewayProgram, ussdString: string): Promise<string> {
  const body = JSON.stringify({ msisdn: '233244123456', sessionId: 's-1', messageType: '0', ussdString });
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${gateway.url}/ussd/kairos/${secret}`, { method: 'POST', headers, body });
  return ((await answer.json()) as { ussdString: string }).ussdString;
}

test('S02: a copy of an input that waited in a suspended gateway does not confirm the payment that another one shows meanwhile', async (context) => {
  const url = await createDatabase();
  const shop = await startShop(context, {
    spread: true,
    configure(file) {
      Object.assign(file, { database: { url } });
      const kairos = { id: 'kairos', aggregator: 'kairos', secret, serviceCode: '*889*5#' };
      file.channels = file.channels.map((channel) => ({ ...channel, ...kairos }));
    },
  });
  const [one, two] = [await shop.start(), await shop.start()];
  expect(await send(one, '*889*5#')).toMatch(/^1\. /m);
  two.signal('SIGSTOP');
  // The system accepts the connection of the copy.
  const copy = send(two, '1');
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(await send(one, '1')).toContain('Amount');
  const confirm = await send(one, '20');
  expect(confirm).toMatch(/^Pay GHS 20\.00[\s\S]*\n1\. Yes/);
  two.signal('SIGCONT');
  expect(await copy).toBe(confirm);
  expect(await runSql(url, 'SELECT id FROM collection')).toEqual([]);
});
