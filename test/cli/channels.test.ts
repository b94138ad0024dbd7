import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { aggregatorNames } from '../../src/aggregators/registry.ts';
import { temporaryFolder } from '../kit/folder.ts';
import { notSet, run, secrets, writeConfig } from './certify-support.ts';

test('channels are listed with their callback URLs, without secrets', async () => {
  const { out, code } = await run(['channels', '--config', writeConfig(temporaryFolder())]);
  expect(code).toBe(0);
  expect(out.split('\n')[1]).toMatch(
    /^shop-nalo +Nalo Solutions +\*920\*5# +shop +http:\/\/127\.0\.0\.1:1\/ussd\/shop-nalo\/\*\*\*$/,
  );
  expect(out).toContain('add --secrets');
  for (const secret of Object.values(secrets)) expect(out).not.toContain(secret);
});

test('--base sets the public URL, and --secrets shows the whole callback URL', async () => {
  const config = ['--config', writeConfig(temporaryFolder())];
  const base = ['--base', 'https://pay.example.com/'];
  const { out } = await run(['channels', ...config, ...base, '--secrets', '--json']);
  expect(JSON.parse(out).data).toEqual([
    {
      id: 'shop-nalo',
      aggregator: 'nalo',
      title: 'Nalo Solutions',
      serviceCode: '*920*5#',
      merchant: 'shop',
      url: `https://pay.example.com/ussd/shop-nalo/${secrets.nalo}`,
    },
    expect.objectContaining({ url: `https://pay.example.com/ussd/shop-wigal/${secrets.wigal}` }),
  ]);
  const hidden = await run(['channels', ...config, '--json']);
  expect(JSON.parse(hidden.out).data[1].url).toBe('http://127.0.0.1:1/ussd/shop-wigal/***');
});

test('the list needs no secrets, and --secrets does', async () => {
  const file = writeConfig(temporaryFolder());
  writeFileSync(file, readFileSync(file, 'utf8').replace(secrets.nalo, notSet));
  const { out, code } = await run(['channels', '--config', file]);
  expect(code).toBe(0);
  expect(out).toContain('/ussd/shop-nalo/***');
  expect(await run(['channels', '--config', file, '--secrets'])).toMatchObject({
    out: '',
    err: expect.stringContaining('channels[0].secret: expected NOT_SET or NOT_SET_FILE in the environment'),
    code: 1,
  });
});

test.each(['pay.example.com', 'ftp://pay.example.com', 'https:///x', 'nonsense'])(
  '--base %s is wrong usage',
  async (base) => {
    const config = ['--config', writeConfig(temporaryFolder())];
    const { out, err, code } = await run(['channels', ...config, '--base', base]);
    expect({ out, code }).toEqual({ out: '', code: 2 });
    expect(err).toContain('--base: expected a URL');
  },
);

test('all supported aggregators are listed with their default settings', async () => {
  const { out, code } = await run(['aggregators']);
  expect(code).toBe(0);
  const [head, ...lines] = out.split('\n');
  expect(head).toMatch(/^name +title +method +text +reply within +repeats detected by +prompt delay$/);
  expect(lines.slice(0, aggregatorNames.length).map((line) => line.split(' ')[0])).toEqual(aggregatorNames);
  expect(out).toMatch(/\nnalo +Nalo Solutions +POST +120 septets +4 s +time and input +2 s\n/);
  expect(out).toMatch(/\nafricastalking +Africa's Talking +POST +182 septets +10 s +request +-\n/);
});

test('--json lists the aggregators as JSON', async () => {
  const { data: listed } = JSON.parse((await run(['aggregators', '--json'])).out);
  expect(listed.map(({ name }: { name: string }) => name)).toEqual(aggregatorNames);
  expect(listed).toContainEqual({
    name: 'nalo',
    title: 'Nalo Solutions',
    method: 'POST',
    textLimit: 120,
    replyWithinSeconds: 4,
    sequenced: false,
    promptDelaySeconds: 2,
  });
});
