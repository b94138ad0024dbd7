import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';

type Import = { file: string; target: string; typeOnly: boolean };

const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => join('src', name));
const textOf = new Map(files.map((file) => [file, readFileSync(file, 'utf8')]));

const imports: Import[] = files.flatMap((file) =>
  [...(textOf.get(file) ?? '').matchAll(/^import\s+(type\s)?[^;]*?from '([^']+)'|^import '([^']+)'/gms)].map(
    ([, type, from, bare]) => {
      const target = from ?? bare ?? '';
      return {
        file,
        target: target.startsWith('.') ? normalize(join(dirname(file), target)) : target,
        typeOnly: type !== undefined,
      };
    },
  ),
);

const folderOf = (path: string) =>
  path.startsWith('src/') ? (path.split('/')[1] ?? '').replace(/\.ts$/, '') : path;
const show = ({ file, target }: Import) => `${file} -> ${target}`;

/** What each folder may import of ours, besides itself. Types of the internal turn are the menu's own words. */
const allowed: Record<string, readonly string[]> = {
  shared: [],
  contract: [],
  db: ['shared'],
  ledger: ['shared', 'db', 'worker'],
  menu: ['shared'],
  lookup: ['shared', 'menu'],
  provider: ['shared', 'contract'],
  worker: ['shared'],
  collection: ['shared', 'contract', 'db', 'ledger', 'provider', 'worker'],
  metrics: ['shared'],
  ussd: ['shared', 'db', 'collection', 'menu', 'metrics'],
  webhook: ['shared', 'contract', 'db', 'collection', 'provider', 'worker'],
  backup: ['shared', 'db', 'collection', 'ledger', 'worker'],
  retention: ['shared', 'db', 'worker'],
  support: ['shared', 'contract', 'db', 'collection', 'menu', 'ussd'],
  config: ['shared', 'menu'],
  handset: ['shared', 'contract', 'ussd'],
  certify: ['shared', 'ussd', 'handset'],
  service: ['shared', 'contract', 'db'],
  testing: [
    ...['shared', 'config', 'db', 'menu', 'collection', 'provider', 'ussd', 'handset', 'support'],
    ...['lookup', 'aggregators', 'gateway', 'service'],
  ],
};

test.each(Object.entries(allowed))('%s imports only %j', (folder, others) => {
  const wrong = imports.filter(({ file, target }) => {
    if (folderOf(file) !== folder || !target.startsWith('src/')) return false;
    const to = folderOf(target);
    return to !== folder && !others.includes(to);
  });
  const typesOfTheTurn = (one: Import) =>
    one.typeOnly && folder === 'menu' && one.target === 'src/ussd/turn.ts';
  expect(wrong.filter((one) => !typesOfTheTurn(one)).map(show)).toEqual([]);
});

test('look-ups know the words of the menu, and nothing that it does', () => {
  const wrong = imports.filter(
    ({ file, target, typeOnly }) =>
      folderOf(file) === 'lookup' && target.startsWith('src/menu/') && !typeOnly,
  );
  expect(wrong.map(show)).toEqual([]);
});

test('every folder of src has its rule', () => {
  expect(imports.length).toBeGreaterThan(files.length);
  const folders = new Set(files.filter((file) => file.split('/').length > 2).map(folderOf));
  expect([...folders].filter((folder) => folder !== 'cli').sort()).toEqual(Object.keys(allowed).sort());
});

/** Who may run or describe the service from outside; everyone else speaks HTTP to it. */
const hosts = ['src/demo.ts', 'src/cli/service/serve-sandbox.ts', 'src/cli/service/numbers.ts'];
const isHost = (file: string) => hosts.includes(file) || folderOf(file) === 'testing';

test('the gateway and the commands never import the service; only who runs or describes it does', () => {
  const wrong = imports.filter(
    ({ file, target }) => target.startsWith('src/service/') && folderOf(file) !== 'service' && !isHost(file),
  );
  expect(wrong.map(show)).toEqual([]);
});

test('the kit for tests is used by nothing but the command that rehearses', () => {
  const wrong = imports.filter(
    ({ file, target }) =>
      target.startsWith('src/testing/') &&
      folderOf(file) !== 'testing' &&
      !file.startsWith('src/cli/rehearse'),
  );
  expect(wrong.map(show)).toEqual([]);
});

test('only db, stores and queries know Drizzle', () => {
  const wrong = imports.filter(
    ({ file, target }) =>
      target.startsWith('drizzle-orm') && folderOf(file) !== 'db' && !/(store|query|schema)\.ts$/.test(file),
  );
  expect(wrong.map(show)).toEqual([]);
});

/** What reads menu files. */
const menuReaders = ['src/menu/file/read.ts', 'src/menu/file/include.ts', 'src/menu/typescript/evaluate.ts'];

test('only metrics know Prometheus', () => {
  const wrong = imports.filter(
    ({ file, target }) => target.startsWith('prom-client') && folderOf(file) !== 'metrics',
  );
  expect(wrong.map(show)).toEqual([]);
});

test('pure files import no database, no network, no log and no clock', () => {
  const pure = [
    'src/collection/decide.ts',
    'src/collection/decision.ts',
    'src/collection/booking.ts',
    'src/collection/fact.ts',
    'src/collection/quote-fault.ts',
    'src/collection/schedule.ts',
    'src/ledger/posting.ts',
    'src/ussd/place.ts',
    'src/shared/screen-text.ts',
    ...files.filter((file) => folderOf(file) === 'menu' && !menuReaders.includes(file)),
  ];
  const wrong = imports.filter(
    ({ file, target, typeOnly }) =>
      pure.includes(file) &&
      !typeOnly &&
      /^(hono|pino|better-sqlite3|drizzle|undici|jiti|node:(fs|net|http))|^src\/(db|shared\/(clock|ids|log))/.test(
        target,
      ),
  );
  expect(wrong.map(show)).toEqual([]);
});

/** Time, chance and the environment come in through the roots; these few files are the roots. */
const roots: Record<string, { pattern: RegExp; files: readonly string[] }> = {
  time: {
    pattern: /\bDate\.now\(|\bsetTimeout\(|\bsetInterval\(|\bperformance\.now\(|new Date\(\)/,
    files: ['src/shared/clock.ts', 'src/shared/log.ts', 'src/server.ts'],
  },
  chance: {
    pattern: /\bMath\.random\b|\brandom(Bytes|Int|UUID)\(/,
    files: ['src/shared/ids.ts'],
  },
  environment: { pattern: /\bprocess\b[^;\n]*\benv\b|\benv\b[^;\n]*= process\b/, files: ['src/cli.ts'] },
};

test.each(Object.entries(roots))('%s is touched only at the root', (_, { pattern, files: known }) => {
  const touching = files.filter((file) =>
    pattern.test((textOf.get(file) ?? '').replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')),
  );
  expect(touching.filter((file) => !known.includes(file))).toEqual([]);
});
