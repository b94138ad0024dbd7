import { tmpdir } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';

/** Each in a process of its own, with files on the disk: they start processes, kill them, or time what the disk does. */
const processes = [
  'test/demo/in-browser.test.ts',
  'test/faults/**/*.test.ts',
  'test/gateway/console/*in-browser.test.ts',
  'test/package/**/*.test.ts',
  'test/phone/in-browser.test.ts',
  'test/process/**/*.test.ts',
  'test/scenarios/backup-under-load.test.ts',
  'test/gateway/merchant-api/generated-client.test.ts',
  'test/service/generated-client.test.ts',
  'test/service/kill.test.ts',
];

/** Each in a process of its own: they measure it, or change or count what is loaded in it. */
const alone = [
  'test/scenarios/calls-body-drift.test.ts',
  'test/scenarios/migration-live.test.ts',
  'test/scenarios/ussd-deadline.test.ts',
  'test/security/hostile-body.test.ts',
  'test/service/fuzz.test.ts',
  'test/service/openapi.test.ts',
  'test/sqlite/migrate.test.ts',
];

/**
 * Long, whatever their size. `npm test` leaves them to `npm run test:all`, which `npm run verify` runs. A run that names
 * files runs whatever it names.
 */
const onlyInWholeRuns = [
  // They wait for real processes, disks and sockets, or pack and install the package.
  'test/cli/{background,health-check}.test.ts',
  'test/demo/**/*.test.ts',
  'test/faults/**/*.test.ts',
  'test/gateway/collection/transport.test.ts',
  'test/gateway/console/*in-browser.test.ts',
  'test/gateway/merchant-api/generated-client.test.ts',
  'test/package/package.test.ts',
  'test/phone/in-browser.test.ts',
  'test/process/{dev,init,kill,stop}.test.ts',
  'test/security/{flood,hostile-body}.test.ts',
  'test/service/{generated-client,kill}.test.ts',
  'test/shared/http/connections.test.ts',
  // They start a PostgreSQL. `npm run test:postgres` runs them alone.
  'test/postgres/**/*.test.ts',
  'test/store/**/*.test.ts',
  // They play the commands of a document, or a week of payments.
  'test/docs/{support,tutorial}.test.ts',
  'test/seed/**/*.test.ts',
  // Recoveries from old copies in every state. `npm test` plays those of restore-by-hand.
  'test/scenarios/restore-old-backup.test.ts',
  // Random requests. `npm test` sends a fifth of them, to a part of the aggregators.
  'test/aggregators/fuzz-{2,3,4}.test.ts',
  'test/service/fuzz.test.ts',
  // Simulations with special faults or peers. `npm test` plays the seeds with all faults.
  'test/simulation/{blocked-parties,conflicting-evidence,power-cut,redials,service-peer}.test.ts',
  // `npm test` proves and plays the smaller menus and transcripts of test/menu and test/testing.
  'test/menu/{prove-property,prove-screens,shipped,typescript-uses}.test.ts',
  'test/testing/{awkward-times,outcomes,round-trip,sessions}.test.ts',
];
const namesFiles = process.argv.some((word) => word.startsWith('test/'));
const leftOut = ['all', 'postgres'].includes(process.env.TESTS ?? '') || namesFiles ? [] : onlyInWholeRuns;

/** They need a PostgreSQL, which `test/kit/postgres-server.ts` starts when one of them runs. */
const onPostgres = ['test/postgres/**/*.test.ts', 'test/store/**/*.test.ts'];

/** `npm run test:postgres` plays these with the gateways' ledgers on a PostgreSQL too. */
const onBoth = [
  'test/gateway/{collection,inbox,ledger}/**/*.test.ts',
  'test/gateway/console/every-page.test.ts',
  'test/scenarios/**/*.test.ts',
];

/** Of these, the files that are about a file, each with the reason. Single tests of the others name theirs with `needsFile`. */
const sqliteOnly: Record<string, string> = {
  'test/gateway/ledger/attacks.test.ts': 'changes the rows, indexes and triggers of a file',
  'test/gateway/ledger/chain-thread.test.ts': 'reads a file in a thread',
  'test/gateway/ledger/verify{,-from}.test.ts': 'changes the rows of a file without its triggers',
  'test/scenarios/backup-under-load.test.ts': 'copies a file while processes write it',
  'test/scenarios/calls-body-drift.test.ts':
    'replaces a module of the program, which needs a process of its own',
  'test/scenarios/disk-full.test.ts':
    'fills the disk of a file; test/postgres/full-disk fills the disk of a server',
  'test/scenarios/migration-live.test.ts': 'upgrades a file of an earlier version',
  'test/scenarios/restore-{by-hand,clock,damaged-file,old-backup}.test.ts':
    'restores copies of a file; test/postgres/{backup,failover} restore a server',
  'test/scenarios/ussd-deadline.test.ts':
    'locks a file; test/postgres/half-flight holds the locks of a server',
};

const common = {
  setupFiles: 'test/kit/watch-log.ts',
  pool: 'forks',
  testTimeout: 150_000,
  hookTimeout: 150_000,
} as const;

export default defineConfig({
  test: {
    globalSetup: ['test/kit/run-folder.ts'],
    maxWorkers: 2,
    projects: [
      {
        test: {
          ...common,
          name: 'processes',
          include: processes,
          exclude: [...configDefaults.exclude, ...leftOut],
          env: { TMPDIR: tmpdir() },
        },
      },
      {
        test: { ...common, name: 'alone', include: alone, exclude: [...configDefaults.exclude, ...leftOut] },
      },
      {
        test: {
          ...common,
          name: 'postgres',
          globalSetup: ['test/kit/postgres-server.ts'],
          include: onPostgres,
          exclude: [...configDefaults.exclude, ...leftOut],
          isolate: false,
        },
      },
      {
        test: {
          ...common,
          name: 'on postgres',
          globalSetup: ['test/kit/postgres-server.ts'],
          include: process.env.TESTS === 'postgres' ? onBoth : [],
          exclude: [...configDefaults.exclude, ...Object.keys(sqliteOnly)],
          env: { DIALTILL_TEST_ENGINE: 'postgres' },
          isolate: false,
        },
      },
      {
        test: {
          ...common,
          name: 'together',
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...processes, ...alone, ...onPostgres, ...leftOut],
          // To load the programs anew for each file would take as long as many of the tests.
          isolate: false,
        },
      },
    ],
  },
});
