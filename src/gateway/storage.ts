import { messageOf, UserError } from '../shared/errors.ts';
import { createDiskSpace, type DiskSpace } from '../sqlite/disk-space.ts';
import { createSqliteStore } from '../sqlite/sqlite.ts';
import type { Store, StoreFault } from '../sqlite/store.ts';
import { clusterStore } from './backup/cluster-store.ts';
import { clusterOrigin, fileOrigin, type LedgerOrigin } from './backup/ledger-origin.ts';
import { quoteStore } from './collection/quote/quote-store.ts';
import { collectionStore } from './collection/store/collection-store.ts';
import { type FileLocation, nameOf, type ServerLocation } from './config/database-location.ts';
import type { GatewayContext, GatewayOverrides } from './context.ts';
import { inboxStore } from './inbox/inbox-store.ts';
import { ledgerStore } from './ledger/ledger-store.ts';
import { unplacedStore } from './unplaced/unplaced-store.ts';

/** The open database and the stores that several parts of the gateway use. */
export type Storage = ReturnType<typeof createStorage>;

/** Receives the duration of each commit; a database of a server reports none. */
type Commits = { onCommit?: (ms: number) => void };

type Parts = { space: DiskSpace; origin: LedgerOrigin; commits: Commits };

function createStorage({ accountOf }: GatewayContext, store: Store, { space, origin, commits }: Parts) {
  return {
    store,
    space,
    origin,
    commits,
    collections: collectionStore(store),
    inbox: inboxStore(store),
    ledger: ledgerStore(store),
    quotes: quoteStore(store),
    unplaced: unplacedStore(store, accountOf),
  };
}

/**
 * Opens and migrates the database.
 *
 * @throws UserError when the database is in use, is newer than the program, or cannot be made durable.
 */
export async function openStorage(context: GatewayContext, overrides: GatewayOverrides): Promise<Storage> {
  const { database } = context.config;
  return database.file === undefined
    ? openServer(context, overrides, database)
    : openFile(context, overrides, database);
}

/** Opens and migrates the database of a file. @throws UserError as `openStorage` does. */
export function openFile(
  context: GatewayContext,
  overrides: GatewayOverrides,
  { file }: FileLocation,
): Storage {
  const { log, clock } = context;
  const createStore = overrides.createStore ?? createSqliteStore;
  const space = createDiskSpace(clock, log);
  const commits: Commits = {};
  const store = createStore({
    file,
    schema: 'gateway',
    clock,
    onBroken(fault: StoreFault) {
      const line = { file, fault: messageOf(fault), see: 'docs/operations.md' };
      log.fatal(line, 'the database has failed; this process must not write any more');
      overrides.onBroken?.();
    },
    onFull: space.setFull,
    onCommit: (ms) => commits.onCommit?.(ms),
    onExposed(exposed: string) {
      log.warn(
        { file: exposed, see: 'docs/operations.md' },
        'other users could access this file; its mode is now 600',
      );
    },
  });
  return createStorage(context, store, { space, commits, origin: fileOrigin(file) });
}

/** Opens and migrates the database of a server, as its only gateway. */
async function openServer(
  context: GatewayContext,
  overrides: GatewayOverrides,
  location: ServerLocation,
): Promise<Storage> {
  const { log, clock } = context;
  const name = nameOf(location);
  // A gateway on a file does not load the client of PostgreSQL.
  const { openPostgresGateway } = await import('../postgres/open-gateway.ts');
  const space = createDiskSpace(clock, log);
  try {
    const { store, cluster } = await openPostgresGateway({
      ...location,
      onFull: space.setFull,
      onTaken() {
        log.fatal(
          { database: name },
          'another gateway has taken the database; this process must not write any more',
        );
        overrides.onBroken?.();
      },
      sleep: clock.sleep,
    });
    return createStorage(context, store, {
      space,
      commits: {},
      origin: clusterOrigin(clusterStore(store), { name, cluster }),
    });
  } catch (fault) {
    if (fault instanceof UserError) throw new UserError(`${name}: ${fault.message}`, { cause: fault });
    throw fault;
  }
}
