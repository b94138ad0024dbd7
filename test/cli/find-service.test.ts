import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findService } from '../../src/cli/service/find-service.ts';
import { temporaryFolder } from '../kit/folder.ts';

const sandboxUrl = 'http://127.0.0.1:8095';
const demoUrl = 'http://127.0.0.1:8090';

/** A data folder in which the sandbox was started at one time and the demo at another. */
function folder(started: { sandbox?: number; demo?: number }): string {
  const path = temporaryFolder();
  const write = (name: string, text: string, at: number) => {
    writeFileSync(join(path, name), text);
    utimesSync(join(path, name), at, at);
  };
  if (started.sandbox !== undefined) {
    const memory = { url: sandboxUrl, adminToken: 'token-of-the-sandbox', aheadMs: 0 };
    write('sandbox.json', JSON.stringify(memory), started.sandbox);
  }
  if (started.demo !== undefined) {
    write('demo.json', JSON.stringify({ adminToken: 'token-of-the-demo' }), started.demo);
    write('demo.yaml', `service:\n  url: ${demoUrl}\n`, started.demo);
  }
  return path;
}

test.each([
  [{ sandbox: 100 }, sandboxUrl, 'token-of-the-sandbox'],
  [{ demo: 100 }, demoUrl, 'token-of-the-demo'],
  [{ sandbox: 200, demo: 100 }, sandboxUrl, 'token-of-the-sandbox'],
  [{ sandbox: 100, demo: 200 }, demoUrl, 'token-of-the-demo'],
])('of what was started at %j, the last is meant', (started, url, token) => {
  const data = folder(started);
  expect(findService({ data }, {})).toMatchObject({ url, token: { value: token } });
  expect(findService({}, { DIALTILL_DATA: data })).toMatchObject({ url, token: { value: token } });
});

test('the start counts, not a later writing of the file, as when the clock is moved on', () => {
  const data = folder({ sandbox: 300, demo: 100 });
  const write = (name: string, memory: object) => writeFileSync(join(data, name), JSON.stringify(memory));
  const sandbox = { url: sandboxUrl, adminToken: 'token-of-the-sandbox', aheadMs: 600_000 };
  write('demo.json', { adminToken: 'token-of-the-demo', startedAt: 200_000 });
  write('sandbox.json', { ...sandbox, startedAt: 100_000 });
  expect(findService({ data }, {})).toMatchObject({ url: demoUrl });
  write('sandbox.json', { ...sandbox, startedAt: 300_000 });
  expect(findService({ data }, {})).toMatchObject({ url: sandboxUrl });
});

test('an address that is named goes before the folder, the flag before the environment', () => {
  const data = folder({ demo: 100 });
  const env = { DIALTILL_SERVICE_URL: 'http://a.example/', DIALTILL_ADMIN_TOKEN: 'token-of-a' };
  expect(findService({ data }, env)).toEqual({
    url: 'http://a.example',
    urlFrom: 'DIALTILL_SERVICE_URL',
    token: { value: 'token-of-a', from: 'DIALTILL_ADMIN_TOKEN' },
  });
  expect(findService({ data, url: 'http://b.example' }, env)).toMatchObject({
    url: 'http://b.example',
    urlFrom: '--url',
  });
});

test('the token of the folder is handed to the service of the folder and to no other', () => {
  const data = folder({ demo: 100 });
  expect(findService({ data, url: 'http://b.example' }, {}).token).toBeUndefined();
  expect(findService({ data, url: `${demoUrl}/` }, {}).token?.value).toBe('token-of-the-demo');
});

test('the token is read from a file where the environment names one, and both at once are refused', () => {
  const data = folder({});
  const file = join(data, 'token');
  writeFileSync(file, 'token-in-a-file\n');
  const env = { DIALTILL_SERVICE_URL: demoUrl, DIALTILL_ADMIN_TOKEN_FILE: file };
  expect(findService({ data }, env).token?.value).toBe('token-in-a-file');
  const both = { ...env, DIALTILL_ADMIN_TOKEN: 'token-in-the-environment' };
  expect(() => findService({ data }, both)).toThrow(/found both/);
  const gone = { ...env, DIALTILL_ADMIN_TOKEN_FILE: join(data, 'gone') };
  expect(() => findService({ data }, gone)).toThrow(/DIALTILL_ADMIN_TOKEN_FILE to name a readable file/);
});

test('where nothing is known, the error says where was looked and what to do', () => {
  const data = folder({});
  expect(() => findService({ data }, {})).toThrow(
    `no collection service is known here: ${data} holds neither`,
  );
});

test.each(['127.0.0.1:8090', 'ftp://a.example', 'http://u:p@a.example', 'http://a.example?x=1', 'nonsense'])(
  '%s is no address of a service',
  (url) => {
    expect(() => findService({ url }, {})).toThrow(/--url takes the address of a service/);
  },
);

test('a file that cannot be read is named, and its content is not', () => {
  const data = folder({ sandbox: 100 });
  writeFileSync(join(data, 'sandbox.json'), '{"adminToken":"secret-of-ours"');
  expect(() => findService({ data }, {})).toThrow(/sandbox\.json cannot be read/);
  expect(() => findService({ data }, {})).not.toThrow(/secret-of-ours/);
});
