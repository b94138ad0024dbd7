import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findService } from '../../src/cli/service/find-service.ts';
import { temporaryFolder } from '../kit/folder.ts';

const sandboxUrl = 'http://127.0.0.1:8095';
const demoUrl = 'http://127.0.0.1:8090';

/** Creates a data folder in which the sandbox and the demo were started at the given times. */
function folder(startedAt: { sandbox?: number; demo?: number }): string {
  const path = temporaryFolder();
  const write = (name: string, text: string) => writeFileSync(join(path, name), text);
  if (startedAt.sandbox !== undefined) {
    const settings = { url: sandboxUrl, adminToken: 'token-of-the-sandbox', advancedMs: 0 };
    write('sandbox.json', JSON.stringify({ ...settings, startedAt: startedAt.sandbox }));
  }
  if (startedAt.demo !== undefined) {
    write('demo.json', JSON.stringify({ adminToken: 'token-of-the-demo', startedAt: startedAt.demo }));
    write('demo.yaml', `service:\n  url: ${demoUrl}\n`);
  }
  return path;
}

test.each([
  [{ sandbox: 100 }, sandboxUrl, 'token-of-the-sandbox'],
  [{ demo: 100 }, demoUrl, 'token-of-the-demo'],
  [{ sandbox: 200, demo: 100 }, sandboxUrl, 'token-of-the-sandbox'],
  [{ sandbox: 100, demo: 200 }, demoUrl, 'token-of-the-demo'],
])('started at %j: the last start is used', (started, url, token) => {
  const data = folder(started);
  expect(findService({ data }, {})).toMatchObject({ url, token: { value: token } });
  expect(findService({}, { DIALTILL_DATA: data })).toMatchObject({ url, token: { value: token } });
});

test('a later change of the file, such as an advanced clock, does not count as a start', () => {
  const data = folder({ sandbox: 100, demo: 200 });
  const later = Date.now() / 1000 + 60;
  utimesSync(join(data, 'sandbox.json'), later, later);
  expect(findService({ data }, {})).toMatchObject({ url: demoUrl });
});

test('a demo that never listened is not found', () => {
  const data = folder({ demo: 100 });
  writeFileSync(join(data, 'demo.json'), JSON.stringify({ adminToken: 'token-of-the-demo' }));
  expect(() => findService({ data }, {})).toThrow(/no collection service found/);
});

test('a given URL precedes the data folder, and the option precedes the environment', () => {
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

test('the token in the data folder is used only for the service of that folder', () => {
  const data = folder({ demo: 100 });
  expect(findService({ data, url: 'http://b.example' }, {}).token).toBeUndefined();
  expect(findService({ data, url: `${demoUrl}/` }, {}).token?.value).toBe('token-of-the-demo');
});

test('the token is read from the file that the environment names; a token and a file together are an error', () => {
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

test('without a service, the error names the searched folder and the next step', () => {
  const data = folder({});
  expect(() => findService({ data }, {})).toThrow(`no collection service found: ${data} has neither`);
});

test.each(['127.0.0.1:8090', 'ftp://a.example', 'http://u:p@a.example', 'http://a.example?x=1', 'nonsense'])(
  '%s is not the URL of a service',
  (url) => {
    expect(() => findService({ url }, {})).toThrow(/--url: expected the URL of a service/);
  },
);

test('an unreadable file is named in the error, without its content', () => {
  const data = folder({ sandbox: 100 });
  writeFileSync(join(data, 'sandbox.json'), '{"adminToken":"secret-of-ours"');
  expect(() => findService({ data }, {})).toThrow(/cannot read \S*sandbox\.json/);
  expect(() => findService({ data }, {})).not.toThrow(/secret-of-ours/);
});
