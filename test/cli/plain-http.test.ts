import { expect, test } from 'vitest';
import { z } from 'zod';
import { createAdminClient } from '../../src/cli/service/admin-client.ts';
import { createStaffClient } from '../../src/cli/staff/staff-client.ts';
import { serviceOperations } from '../../src/contract/service/service-operations.ts';
import { systemClock } from '../../src/shared/clock.ts';

/* Whoever reads a network reads the token of an unencrypted request, and acts with it. */

const answer = z.unknown();

type Client = (fetch: typeof globalThis.fetch, url: string) => Promise<unknown>;

const clock = systemClock();
const urlFrom = '--url';

const clients: Record<string, Client> = {
  'the token of a person': (fetch, url) =>
    createStaffClient({ fetch, clock }, { url, urlFrom, name: 'ama', secret: 'dct_1' }).get(
      '/reviews',
      answer,
    ),
  'a proof of the configuration': (fetch, url) =>
    createStaffClient(
      { fetch, clock },
      { url, urlFrom, configurationKey: Buffer.alloc(32).toString('base64'), configFile: 'dialtill.yaml' },
    ).post('/reload', answer),
  'the admin token': (fetch, url) =>
    createAdminClient({ fetch, clock }, { url, urlFrom, token: { value: 't', from: 'env' } }).operate({
      ...serviceOperations.listMerchants,
      success: { schema: answer },
    }),
  'the key of a merchant': (fetch, url) =>
    createAdminClient({ fetch, clock }, { url, urlFrom })
      .withKey('sk_test_1')
      .operate({ ...serviceOperations.createSession, success: { schema: answer } }, { body: {} }),
};

/** Returns the addresses that a client sends its request to, and its error. */
async function send(client: Client, url: string) {
  const sent: string[] = [];
  const fetch: typeof globalThis.fetch = async (input) => {
    sent.push(String(input));
    return Response.json({});
  };
  const fault = await client(fetch, url).then(
    () => undefined,
    ({ message }: Error) => message,
  );
  return { sent, fault };
}

const cases = Object.entries(clients);

test.each(cases)('%s is not sent to a plain http address of another machine', async (_, client) => {
  for (const host of ['pay.example', '10.1.0.7:8080', '127.0.0.1.example', '[::ffff:10.0.0.1]'])
    expect(await send(client, `http://${host}`)).toEqual({
      sent: [],
      fault: expect.stringContaining('unencrypted'),
    });
});

test.each(cases)('%s is sent over https, and to this machine', async (_, client) => {
  for (const url of [
    'https://pay.example',
    'http://127.0.0.1:8080',
    'http://localhost:8080',
    'http://[::1]:80',
  ])
    expect(await send(client, url)).toMatchObject({ sent: [expect.stringContaining(url.slice(0, 12))] });
});

test('what needs no key is read from any address', async () => {
  const { sent } = await send(
    (fetch, url) =>
      createAdminClient({ fetch, clock }, { url, urlFrom }).operate(
        { method: 'get', path: '/health', access: 'open', success: { schema: answer } },
        { params: {} },
      ),
    'http://10.1.0.7:8080',
  );
  expect(sent).toHaveLength(1);
});
