import { expect, onTestFinished, test } from 'vitest';
import { simulatedAggregators } from '../../src/aggregators/registry.ts';
import { serveGateway } from '../../src/gateway/serve.ts';
import { operatorByPrefix, parseMsisdn } from '../../src/shared/msisdn.ts';
import { temporaryFolder } from '../kit/folder.ts';
import { createSilentLog } from '../kit/log.ts';
import { placeMigrated } from '../kit/migrated.ts';
import { testConfig } from '../kit/till.ts';

async function serve() {
  const base = testConfig(temporaryFolder(), 'sk_test_0123456789abcdef');
  const config = { ...base, listen: { ...base.listen, port: 0 } };
  placeMigrated(config.database.file, 'gateway');
  const gateway = await serveGateway(config, { log: createSilentLog() });
  onTestFinished(() => gateway.stop());
  const { id, secret, serviceCode, settings } = config.channels.find((one) => one.id === 'wigal-v1') ?? {};
  return { url: `${gateway.url}/ussd/${id}/${secret}`, serviceCode: String(serviceCode), settings };
}

test('a payer whose aggregator sends 10,000 characters in the address reads the screen again', async () => {
  const { url, serviceCode, settings } = await serve();
  const msisdn = parseMsisdn('0244123456');
  const simulated = simulatedAggregators['wigal-v1'];
  if (!msisdn || !simulated) throw new Error('no such aggregator');
  const session = { session: 's-1', msisdn, operator: operatorByPrefix(msisdn), serviceCode };
  const dial = { ...session, dialled: serviceCode, settings };
  const screenAfter = async (...typed: string[]) => {
    const { to } = simulated.request(dial, typed);
    const answer = await fetch(`${url}${to}`);
    expect(answer.status).toBe(200);
    return simulated.read(String(answer.headers.get('content-type')), await answer.text(), dial);
  };
  const menu = await screenAfter();
  const again = await screenAfter('#'.repeat(10_000));
  expect(again).toMatchObject({ kind: 'continue', text: expect.stringMatching(/^Invalid option\.\n/) });
  expect(again?.text.endsWith(String(menu?.text))).toBe(true);
  expect(await fetch(`${url}?${'x'.repeat(33_000)}`)).toMatchObject({ status: 431 });
});
