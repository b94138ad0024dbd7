import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';

type Import = { file: string; target: string; typeOnly: boolean };

const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name))
  .map((name) => join('src', name));
const textOf = new Map(files.map((file) => [file, readFileSync(file, 'utf8')]));

const statement =
  /^(?:import|export)\s+(type\s)?[^;]*?from '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gms;

/** Every import and re-export, types and dynamic imports included. */
const imports: Import[] = files.flatMap((file) =>
  [...(textOf.get(file) ?? '').matchAll(statement)].map(([, type, from, bare, dynamic]) => {
    const target = from ?? bare ?? dynamic ?? '';
    return {
      file,
      target: target.startsWith('.') ? normalize(join(dirname(file), target)) : target,
      typeOnly: type !== undefined,
    };
  }),
);

/** Folders inside other folders that have a rule of their own. */
const nested = ['gateway'];

/** The folder that a rule is about: `menu`, `gateway/ledger`, `gateway` for the files directly in it. */
const folderOf = (path: string) => {
  const parts = path.split('/').slice(1, -1);
  const inner = parts.slice(0, 2).join('/');
  return nested.includes(inner) || nested.includes(parts[0] ?? '') ? inner : (parts[0] ?? '');
};
const show = ({ file, target }: Import) => `${file} -> ${target}`;

/** The folders of `src` that each folder may import, besides itself. */
const allowed: Record<string, readonly string[]> = {
  shared: [],
  contract: ['shared'],
  sqlite: ['shared'],
  // The port of both engines is in the folder of the default one.
  postgres: ['shared', 'sqlite'],
  menu: ['shared'],
  aggregators: ['shared'],
  simulator: ['shared', 'contract', 'aggregators'],
  phone: [
    ...['shared', 'sqlite', 'aggregators', 'simulator'],
    ...['gateway', 'gateway/collection', 'gateway/config', 'gateway/support'],
  ],
  certify: ['shared', 'aggregators', 'simulator', 'gateway/dialogue'],
  // Who somebody is, and what they may do: below everything that checks it.
  'gateway/access': ['contract'],
  'gateway/worker': ['shared'],
  'gateway/metrics': ['shared', 'gateway/collection', 'gateway/lookup'],
  'gateway/config': [
    ...['shared', 'menu', 'gateway/collection', 'gateway/dialogue', 'gateway/ledger', 'gateway/retention'],
  ],
  'gateway/ledger': ['shared', 'sqlite', 'gateway', 'gateway/worker'],
  'gateway/chain-thread': ['shared', 'gateway', 'gateway/ledger'],
  'gateway/lookup': ['shared', 'menu'],
  'gateway/unplaced': ['shared', 'contract', 'sqlite', 'gateway', 'gateway/ledger', 'gateway/worker'],
  'gateway/collection': [
    ...['shared', 'contract', 'sqlite', 'gateway', 'gateway/ledger', 'gateway/unplaced', 'gateway/worker'],
  ],
  'gateway/inbox': [
    ...['shared', 'contract', 'sqlite'],
    ...['gateway', 'gateway/collection', 'gateway/unplaced', 'gateway/worker'],
  ],
  'gateway/dialogue': [
    ...['shared', 'sqlite', 'menu', 'aggregators'],
    ...['gateway', 'gateway/collection', 'gateway/metrics'],
  ],
  'gateway/notify': [
    ...['shared', 'contract', 'sqlite', 'gateway', 'gateway/collection', 'gateway/ledger', 'gateway/worker'],
  ],
  'gateway/merchant-api': [
    ...['shared', 'contract', 'sqlite', 'gateway', 'gateway/collection', 'gateway/ledger', 'gateway/notify'],
    ...['gateway/access', 'gateway/reading', 'gateway/staff', 'gateway/unplaced', 'gateway/worker'],
  ],
  // The table of reads has those of pages and of the merchant API, which call them through it.
  'gateway/reading': [
    ...['shared', 'sqlite', 'gateway'],
    ...['gateway/console', 'gateway/merchant-api', 'gateway/staff', 'gateway/support'],
  ],
  'gateway/backup': ['shared', 'sqlite', 'gateway', 'gateway/collection', 'gateway/ledger', 'gateway/worker'],
  'gateway/retention': ['shared', 'sqlite', 'gateway', 'gateway/ledger', 'gateway/worker'],
  'gateway/support': [
    ...['shared', 'contract', 'sqlite', 'menu'],
    ...['gateway', 'gateway/collection', 'gateway/config', 'gateway/dialogue', 'gateway/unplaced'],
  ],
  'gateway/console': [
    ...[
      'shared',
      'contract',
      'sqlite',
      'gateway',
      'gateway/access',
      'gateway/accounts',
      'gateway/collection',
      'gateway/ledger',
    ],
    ...['gateway/reading', 'gateway/staff', 'gateway/support'],
  ],
  'gateway/staff': [
    ...['shared', 'contract', 'sqlite'],
    ...['gateway', 'gateway/collection', 'gateway/ledger', 'gateway/notify'],
    ...['gateway/access', 'gateway/accounts', 'gateway/unplaced'],
  ],
  'gateway/accounts': [
    ...['shared', 'contract', 'sqlite', 'gateway', 'gateway/access', 'gateway/notify', 'gateway/staff'],
  ],
  service: ['shared', 'contract', 'sqlite'],
};

/** Folders that put the others together. They import the folders below them, which do not import them. */
const wiring: Record<string, (target: string) => boolean> = {
  gateway: (to) => to.startsWith('gateway/') || ['shared', 'sqlite', 'postgres', 'aggregators'].includes(to),
  demo: () => true,
  testing: (to) => to !== 'cli' && to !== 'demo',
  cli: () => true,
};
const wiringFiles = [
  'src/gateway/app.ts',
  'src/gateway/console.ts',
  'src/gateway/context.ts',
  'src/gateway/create.ts',
  'src/gateway/gateway-metrics.ts',
  'src/gateway/jobs.ts',
  'src/gateway/notifications.ts',
  'src/gateway/outbound.ts',
  'src/gateway/readiness.ts',
  'src/gateway/routes.ts',
  'src/gateway/serve.ts',
  'src/gateway/storage.ts',
];

test.each(Object.entries(allowed))('%s imports only %j', (folder, others) => {
  const wrong = imports.filter(({ file, target }) => {
    if (folderOf(file) !== folder || !target.startsWith('src/')) return false;
    const to = folderOf(target);
    return to !== folder && (!others.includes(to) || wiringFiles.includes(target));
  });
  expect(wrong.map(show)).toEqual([]);
});

test.each(Object.entries(wiring))('%s puts parts together, and no part imports it', (folder, mayImport) => {
  const wrong = imports.filter(
    ({ file, target }) =>
      folderOf(file) === folder &&
      target.startsWith('src/') &&
      folderOf(target) !== folder &&
      !mayImport(folderOf(target)),
  );
  expect(wrong.map(show)).toEqual([]);
});

test('lookups know the types of the menu, and none of its code', () => {
  const wrong = imports.filter(
    ({ file, target, typeOnly }) =>
      folderOf(file) === 'gateway/lookup' && target.startsWith('src/menu/') && !typeOnly,
  );
  expect(wrong.map(show)).toEqual([]);
});

/** Groups of files that import each other, directly or through others. */
function importCircles(): string[][] {
  const targetsOf = new Map(files.map((file) => [file, new Set<string>()]));
  for (const { file, target } of imports) if (targetsOf.has(target)) targetsOf.get(file)?.add(target);
  const reached = (from: string) => {
    const found = new Set<string>();
    const open = [from];
    for (let file = open.pop(); file !== undefined; file = open.pop()) {
      for (const target of targetsOf.get(file) ?? []) if (!found.has(target)) open.push(target);
      for (const target of targetsOf.get(file) ?? []) found.add(target);
    }
    return found;
  };
  const reachable = new Map(files.map((file) => [file, reached(file)]));
  const circles = files.flatMap((file) => {
    const others = files.filter((one) => reachable.get(file)?.has(one) && reachable.get(one)?.has(file));
    return others.length > 0 && others[0] === file ? [others] : [];
  });
  return circles;
}

test('no import is circular, types included', () => {
  expect(importCircles()).toEqual([]);
});

test('every folder of src has a rule', () => {
  expect(imports.length).toBeGreaterThan(files.length);
  const folders = new Set(files.map(folderOf));
  expect([...folders].sort()).toEqual([...Object.keys(allowed), ...Object.keys(wiring)].sort());
});

/** Who may run or describe the service from outside; every other caller uses HTTP. */
const hosts = [
  'src/demo/serve.ts',
  'src/cli/service/sandbox.ts',
  'src/cli/service/live/load-rail.ts',
  'src/cli/service/live/start-live.ts',
  'src/cli/service/test-mode.ts',
  // Signs as the service does.
  'src/cli/service/developer/listen.ts',
];
const isHost = (file: string) => hosts.includes(file) || folderOf(file) === 'testing';

test('the gateway and the commands never import the service, except to run or describe it', () => {
  const wrong = imports.filter(
    ({ file, target }) => target.startsWith('src/service/') && folderOf(file) !== 'service' && !isHost(file),
  );
  expect(wrong.map(show)).toEqual([]);
});

test('only the rehearse command uses the testing kit', () => {
  const wrong = imports.filter(
    ({ file, target }) =>
      target.startsWith('src/testing/') &&
      folderOf(file) !== 'testing' &&
      file !== 'src/cli/commands/rehearse.ts',
  );
  expect(wrong.map(show)).toEqual([]);
});

test('only the store engine, stores and queries import Drizzle', () => {
  const wrong = imports.filter(
    ({ file, target }) =>
      target.startsWith('drizzle-orm') &&
      !['sqlite', 'postgres'].includes(folderOf(file)) &&
      !/(store|query|schema)\.ts$/.test(file),
  );
  expect(wrong.map(show)).toEqual([]);
});

test('each write of the gateway is prepared, so that the tests find all of them and run them on PostgreSQL', () => {
  const wrong = files.filter(
    (file) => file.startsWith('src/gateway/') && /\bargs\b|\.toSQL\(/.test(textOf.get(file) ?? ''),
  );
  expect(wrong).toEqual([]);
});

/** Files that read menu files. */
const menuReaders = ['src/menu/file/read.ts', 'src/menu/typescript/evaluate.ts'];

test('only the metrics folder imports Prometheus', () => {
  const wrong = imports.filter(
    ({ file, target }) => target.startsWith('prom-client') && folderOf(file) !== 'gateway/metrics',
  );
  expect(wrong.map(show)).toEqual([]);
});

test('pure files import no database, no network, no log and no clock', () => {
  const pure = [
    ...files.filter((file) => file.startsWith('src/gateway/collection/decide/')),
    'src/gateway/collection/booking.ts',
    'src/gateway/collection/fact.ts',
    'src/gateway/unplaced/decide.ts',
    'src/gateway/unplaced/fact.ts',
    'src/gateway/collection/quote/quote-fault.ts',
    'src/gateway/collection/schedule.ts',
    'src/gateway/ledger/posting.ts',
    'src/gateway/dialogue/classify-request.ts',
    'src/shared/screen-text.ts',
    ...files.filter((file) => folderOf(file) === 'menu' && !menuReaders.includes(file)),
  ];
  const wrong = imports.filter(
    ({ file, target, typeOnly }) =>
      pure.includes(file) &&
      !typeOnly &&
      /^(hono|pino|better-sqlite3|drizzle|undici|jiti|node:(fs|net|http))|^src\/(sqlite|shared\/(clock|ids|log))/.test(
        target,
      ),
  );
  expect(wrong.map(show)).toEqual([]);
});

/** Time, randomness and the environment enter through these files only. */
const roots: Record<string, { pattern: RegExp; files: readonly string[] }> = {
  time: {
    pattern: /\bDate\.now\(|\bsetTimeout\(|\bsetInterval\(|\bperformance\.now\(|new Date\(\)/,
    files: [
      'src/postgres/real-time.ts',
      'src/shared/clock.ts',
      'src/shared/log.ts',
      'src/shared/http/server.ts',
      'src/shared/suspensions.ts',
    ],
  },
  randomness: {
    pattern: /\bMath\.random\b|\brandom(Bytes|Int|UUID)\(/,
    files: ['src/shared/ids.ts'],
  },
  environment: {
    pattern: /\bprocess\b[^;\n]*\benv\b|\benv\b[^;\n]*= process\b/,
    files: ['src/cli/program.ts', 'src/cli/health-check.ts'],
  },
};

test.each(Object.entries(roots))('%s is touched only at the root', (_, { pattern, files: known }) => {
  const touching = files.filter((file) =>
    pattern.test((textOf.get(file) ?? '').replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')),
  );
  expect(touching.filter((file) => !known.includes(file))).toEqual([]);
});

const testFiles = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.test\.tsx?$/.test(name))
  .map((name) => join('test', name));

test('the name of a test file says how it runs and when', () => {
  const suffixes = /^[\w-]+(?:(?:\.process)?(?:\.long)?|\.browser)\.test\.ts$/;
  expect(testFiles.filter((file) => !suffixes.test(basename(file)))).toEqual([]);
});

/** What a test file needs, and the files that have it. */
const needs: Record<string, { pattern: RegExp; has: RegExp }> = {
  'a process of its own to replace a module': { pattern: /^vi\.mock\(/m, has: /\.process\./ },
  'a browser': { pattern: /^import .*\/kit\/chromium\.ts'/m, has: /\.browser\./ },
  'a PostgreSQL': { pattern: /^import [^']*'\.\.\/(?:\.\.\/)*kit\/postgres\.ts'/m, has: /^test\/postgres\// },
};

test.each(Object.entries(needs))('a test file that needs %s says so in its name', (_, { pattern, has }) => {
  const needing = testFiles.filter((file) => pattern.test(readFileSync(file, 'utf8')));
  expect(needing).not.toEqual([]);
  expect(needing.filter((file) => !has.test(file))).toEqual([]);
});
