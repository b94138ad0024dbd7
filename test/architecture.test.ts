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

/** The room of a file: a folder of `src`, or of `src/gateway`. */
const roomOf = (path: string) => {
  const parts = path.split('/').slice(1, -1);
  return parts[0] === 'gateway' ? parts.slice(0, 2).join('/') : (parts[0] ?? '');
};
const show = ({ file, target }: Import) => `${file} -> ${target}`;

/** The rooms in their layers, from top to bottom. A room imports rooms of the layers below its own, types included. */
const layers: readonly (readonly string[])[] = [
  ['cli'],
  ['demo', 'testing'],
  ['gateway', 'phone'],
  ['gateway/wiring'],
  ['gateway/console'],
  ['gateway/support', 'gateway/merchant-api'],
  ['certify', 'gateway/config', 'gateway/staff'],
  ['gateway/dialogue', 'gateway/accounts'],
  ['gateway/metrics', 'gateway/upkeep', 'gateway/inbox', 'gateway/notify'],
  ['gateway/insights'],
  ['gateway/collection'],
  ['gateway/unplaced', 'gateway/access', 'gateway/service-statement'],
  ['gateway/ledger'],
  ['gateway/database'],
  ['postgres', 'service', 'simulator', 'gateway/lookup', 'gateway/reading'],
  ['kit'],
  ['aggregators', 'menu', 'sqlite', 'contract', 'gateway/worker'],
  ['shared'],
];
const layerOf = (room: string) => layers.findIndex((layer) => layer.includes(room));

test('a room imports only rooms of the layers below it', () => {
  const wrong = imports.filter(
    ({ file, target }) =>
      target.startsWith('src/') &&
      roomOf(file) !== roomOf(target) &&
      layerOf(roomOf(target)) <= layerOf(roomOf(file)),
  );
  expect(wrong.map(show)).toEqual([]);
});

test('lookups know the types of the menu, and none of its code', () => {
  const wrong = imports.filter(
    ({ file, target, typeOnly }) =>
      roomOf(file) === 'gateway/lookup' && target.startsWith('src/menu/') && !typeOnly,
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

test('every room of src has one layer', () => {
  expect(imports.length).toBeGreaterThan(files.length);
  expect([...new Set(files.map(roomOf))].sort()).toEqual(layers.flat().sort());
});

/** Who may run or describe the service from outside; every other caller uses HTTP. */
const hosts = [
  'src/demo/serve.ts',
  'src/cli/service/sandbox.ts',
  'src/cli/service/live/start-live.ts',
  // Signs as the service does.
  'src/cli/service/developer/listen.ts',
];
const isHost = (file: string) => hosts.includes(file) || roomOf(file) === 'testing';

test('the gateway and the commands never import the service, except to run or describe it', () => {
  const wrong = imports.filter(
    ({ file, target }) => target.startsWith('src/service/') && roomOf(file) !== 'service' && !isHost(file),
  );
  expect(wrong.map(show)).toEqual([]);
});

test('only the rehearse command uses the testing kit', () => {
  const wrong = imports.filter(
    ({ file, target }) =>
      target.startsWith('src/testing/') &&
      roomOf(file) !== 'testing' &&
      file !== 'src/cli/commands/rehearse.ts',
  );
  expect(wrong.map(show)).toEqual([]);
});

test('only the store engine, stores and queries import Drizzle', () => {
  const wrong = imports.filter(
    ({ file, target }) =>
      target.startsWith('drizzle-orm') &&
      !['sqlite', 'postgres'].includes(roomOf(file)) &&
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

test('a query of the gateway is prepared, except those that ask for each table, or only a server', () => {
  const raw = files.filter(
    (file) => file.startsWith('src/gateway/') && /\bstore\.query\(/.test(textOf.get(file) ?? ''),
  );
  expect(raw.map((file) => basename(file)).toSorted()).toEqual([
    'last-backup-store.ts',
    'ledger-tables-query.ts',
  ]);
});

/** Files that read menu files. */
const menuReaders = ['src/menu/file/load.ts', 'src/menu/typescript/read-program.ts'];

test('only the metrics folder imports Prometheus', () => {
  const wrong = imports.filter(
    ({ file, target }) => target.startsWith('prom-client') && roomOf(file) !== 'gateway/metrics',
  );
  expect(wrong.map(show)).toEqual([]);
});

test('pure files import no database, no network, no log and no clock', () => {
  const pure = [
    ...files.filter((file) => file.startsWith('src/gateway/collection/decide/')),
    'src/gateway/collection/fact.ts',
    'src/gateway/unplaced/decide.ts',
    'src/gateway/unplaced/fact.ts',
    'src/gateway/collection/opening/create-call.ts',
    'src/gateway/collection/schedule.ts',
    'src/gateway/ledger/posting.ts',
    'src/gateway/dialogue/classify-request.ts',
    'src/shared/screen-text.ts',
    ...files.filter((file) => roomOf(file) === 'menu' && !menuReaders.includes(file)),
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

test('the walks of the architecture name files that exist', () => {
  const [, walks = ''] =
    /## Three walks([\s\S]*?)\n## /.exec(readFileSync('docs/architecture.md', 'utf8')) ?? [];
  const named = [...walks.matchAll(/`([\w/-]+\.tsx?)`/g)].map(([, name = '']) => name);
  // A file without a folder stands beside the one before it.
  const stations = named.map((name, at) =>
    name.includes('/')
      ? name
      : join(dirname(named.slice(0, at).findLast((one) => one.includes('/')) ?? ''), name),
  );
  expect(stations.length).toBeGreaterThan(30);
  expect(stations.filter((station) => !textOf.has(join('src', station)))).toEqual([]);
});

test('a name is exported by one file, save the types of menus in TypeScript', () => {
  const declared = /^export (?:async )?(?:function\*?|const|class|type|interface) ([A-Za-z_$][\w$]*)/gm;
  const exporters = files
    .filter((file) => !file.startsWith('src/menu/typescript/'))
    .flatMap((file) =>
      [...(textOf.get(file) ?? '').matchAll(declared)].map(([, name = '']) => ({ name, file })),
    );
  const several = [...Map.groupBy(exporters, ({ name }) => name)].flatMap(([name, all]) => {
    const from = new Set(all.map(({ file }) => file));
    return from.size > 1 ? [`${name}: ${[...from].join(', ')}`] : [];
  });
  expect(several).toEqual([]);
});
