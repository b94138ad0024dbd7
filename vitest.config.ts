import { tmpdir } from 'node:os';
import { configDefaults, defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';

/*
 * A test file's name says how it runs and when; CONTRIBUTING.md has the table. This file lists no test file.
 */

/** Each in a process of its own, with files on the disk. */
const process_ = ['test/**/*.process.test.ts', 'test/**/*.process.long.test.ts'];
const browser = ['test/**/*.browser.test.ts'];
const postgres = ['test/postgres/**/*.test.ts'];
const long = ['test/**/*.long.test.ts'];

/** A run that names files runs whatever it names. */
const namesFiles = process.argv.some((word) => word.startsWith('test/'));
const isWhole = ['all', 'postgres'].includes(process.env.TESTS ?? '') || namesFiles;
const leftOut = [...configDefaults.exclude, ...(isWhole ? [] : [...long, ...browser, ...postgres])];

/** `npm run test:postgres` plays these with the gateways' ledgers on a PostgreSQL too. A test about a file uses `needsFile`. */
const onBoth = [
  'test/gateway/{collection,inbox,ledger}/**/*.test.ts',
  'test/gateway/accounts/alerts.test.ts',
  'test/gateway/console/every-page.long.test.ts',
  'test/scenarios/**/*.test.ts',
];

const common = {
  setupFiles: ['test/kit/cpu-cost.ts', 'test/kit/watch-log.ts', 'test/kit/properties.ts'],
  pool: 'forks',
  testTimeout: 150_000,
  hookTimeout: 150_000,
} satisfies TestProjectInlineConfiguration['test'];

export default defineConfig({
  test: {
    globalSetup: ['test/kit/run-folder.ts'],
    maxWorkers: 2,
    projects: [
      {
        test: {
          ...common,
          name: 'processes',
          include: [...process_, ...browser],
          exclude: leftOut,
          env: { TMPDIR: tmpdir() },
        },
      },
      {
        test: {
          ...common,
          name: 'postgres',
          globalSetup: ['test/kit/postgres-server.ts'],
          include: postgres,
          exclude: leftOut,
          isolate: false,
        },
      },
      {
        test: {
          ...common,
          name: 'on postgres',
          globalSetup: ['test/kit/postgres-server.ts'],
          include: process.env.TESTS === 'postgres' ? onBoth : [],
          exclude: [...configDefaults.exclude, ...process_, ...browser],
          env: { DIALTILL_TEST_ENGINE: 'postgres' },
          isolate: false,
        },
      },
      {
        test: {
          ...common,
          name: 'together',
          include: ['test/**/*.test.ts'],
          exclude: [...leftOut, ...process_, ...browser, ...postgres],
          // To load the programs anew for each file would take as long as many of the tests.
          isolate: false,
        },
      },
    ],
  },
});
