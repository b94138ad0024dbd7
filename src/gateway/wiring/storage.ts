import type { LedgerChange } from '../../postgres/cluster.ts';
import { spaceProbe } from '../../postgres/server.ts';
import { monotonicMs } from '../../shared/clock.ts';
import { errorMessage, UserError } from '../../shared/errors.ts';
import type { ClockSample, FollowingClock } from '../../shared/following-clock.ts';
import { createDiskSpace, type DiskSpace } from '../../sqlite/disk-space.ts';
import { createSqliteStore } from '../../sqlite/sqlite.ts';
import type { Store, StoreFault } from '../../sqlite/store.ts';
import { boundActions } from '../access/action-store.ts';
import { type Members, onlyMember, type Pause, readPause } from '../collection/calls/members.ts';
import { quoteStore } from '../collection/quote/quote-store.ts';
import { collectionStore } from '../collection/store/collection-store.ts';
import { type FileLocation, getName, type ServerLocation } from '../database/database-location.ts';
import { listMoved, type MovedMerchants } from '../database/moved-merchants-query.ts';
import { inboxStore } from '../inbox/inbox-store.ts';
import { ledgerStore } from '../ledger/ledger-store.ts';
import { unplacedStore } from '../unplaced/unplaced-store.ts';
import { clusterOrigin, fileOrigin, type LedgerOrigin } from '../upkeep/ledger-origin.ts';
import { clusterStore } from '../upkeep/recovery-store.ts';
import type { GatewayContext, GatewayOverrides } from './context.ts';

/** The open database and the stores that several parts of the gateway use. */
export type Storage = ReturnType<typeof createStorage>;

/** Receives the duration of each commit; a database of a server reports none. */
type Commits = { onCommit?: (ms: number) => void };

/** The last report of a gateway whose database is no longer the one that it has opened. */
const changes = {
  moved:
    'the database is another one than before: a restored backup or a promoted standby, or some of its merchants have moved',
  rolled_back: 'the database was set back to an earlier state: the next start begins with a recovery',
  upgraded: 'a newer version of dialtill has changed the tables of the database',
} as const satisfies Record<LedgerChange, string>;

type Parts = {
  space: DiskSpace;
  origin: LedgerOrigin;
  commits: Commits;
  members: Members;
};

function createStorage({ accountOf }: GatewayContext, opened: Store, parts: Parts) {
  const store = boundActions(opened);
  const moved = new Map<string, string>();
  return {
    store,
    ...parts,
    /** Empty before `loadMoved`. */
    moved: moved as MovedMerchants,
    /** Reads which merchants have moved. None moves while a gateway has the database open. */
    async loadMoved(): Promise<void> {
      for (const [id, place] of await listMoved(store)) moved.set(id, place);
    },
    collections: collectionStore(store, parts.members.name, moved),
    inbox: inboxStore(store, moved),
    ledger: ledgerStore(store),
    quotes: quoteStore(store),
    unplaced: unplacedStore(store, accountOf),
  };
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
      const line = { file, fault: errorMessage(fault), see: 'docs/operations/damaged-file.md' };
      log.fatal(line, 'the database has failed; this process must not write any more');
      overrides.onBroken?.();
    },
    onFull: space.setFull,
    onCommit: (ms) => commits.onCommit?.(ms),
    onExposed(exposed: string) {
      log.warn(
        { file: exposed, see: 'docs/operations/run.md' },
        'other users could access this file; its mode is now 600',
      );
    },
  });
  return createStorage(context, store, { space, commits, origin: fileOrigin(file), members: onlyMember });
}

/**
 * Opens and migrates the database of a server, as one of its gateways.
 *
 * @param clock shows the time of the server from then on.
 * @throws UserError when it cannot be reached, is newer than the program, or could lose an acknowledged event.
 */
export async function openServer(
  context: GatewayContext,
  overrides: GatewayOverrides,
  { location, clock }: { location: ServerLocation; clock: FollowingClock },
): Promise<Storage> {
  const { log, ids } = context;
  const database = getName(location);
  const space = createDiskSpace(clock, log, spaceProbe);
  const name = ids.next('gw');
  const listeners: ((pause: Pause) => void)[] = [];
  let isInStep = true;
  const follow = (sample: ClockSample) => {
    const wasInStep = isInStep;
    isInStep = clock.follow(sample);
    if (isInStep || !wasInStep) return;
    const line = { alarm: 'server_clock_set_back', database, see: 'docs/operations/alarms.md' };
    log.error(
      line,
      'the clock of the database server was set back; this gateway continues with the time before',
    );
  };
  try {
    // A gateway on a file does not load the client of PostgreSQL.
    const open = overrides.openServer ?? (await import('../../postgres/member.ts')).openPostgresGateway;
    const { store, member } = await open({
      ...{ ...location, name, follow, monotonic: () => monotonicMs(clock), sleep: clock.sleep },
      onFull: space.setFull,
      onBehind(tables) {
        const line = { database, tables, see: 'docs/postgresql.md' };
        log.warn(line, 'the sequences of these tables were behind their rows, and continue after them now');
      },
      onSchemaMoved(from) {
        log.info({ database, from }, 'the ledger of an earlier version was moved into the schema dialtill');
      },
      onChanged(change) {
        const alarm =
          change === 'rolled_back' ? { alarm: 'ledger_rolled_back', see: 'docs/operations/alarms.md' } : {};
        log.fatal({ ...alarm, database, change }, changes[change]);
        overrides.onBroken?.();
      },
      onPause(payload) {
        const pause = readPause(payload);
        if (pause && pause.by !== name) for (const listener of listeners) listener(pause);
      },
    });
    const members: Members = {
      ...{ name, count: member.count, startAlone: member.startAlone, runAlone: member.runAlone },
      announcePause: (pause) => member.announcePause(JSON.stringify({ ...pause, by: name })),
      onPause: (listener) => void listeners.push(listener),
    };
    log.info({ database, gateway: name, gateways: member.count() }, 'the database is open');
    const origin = clusterOrigin(clusterStore(store), { name: database, cluster: member.cluster });
    return createStorage(context, store, { space, commits: {}, origin, members });
  } catch (fault) {
    if (fault instanceof UserError) throw new UserError(`${database}: ${fault.message}`, { cause: fault });
    throw fault;
  }
}
