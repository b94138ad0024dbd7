import { openSqlite } from '../../../src/db/sqlite.ts';
import type { ServiceConfig, ServiceOverrides } from '../../../src/service/config.ts';
import { buildService, type Service } from '../../../src/service/service.ts';
import { messageOf } from '../../../src/shared/errors.ts';
import { createLog } from '../../../src/shared/log.ts';
import type { Chance } from '../chance.ts';
import { type CommitFault, openDisk } from '../disk.ts';
import type { Feature } from '../features.ts';
import { idsOf } from '../ids.ts';
import type { World } from '../world.ts';

export type HostDeps = {
  world: World;
  chance: Chance;
  has(feature: Feature): boolean;
  config: ServiceConfig;
  send: NonNullable<ServiceOverrides['fetch']>;
  wrapRail: NonNullable<ServiceOverrides['wrapRail']>;
  tell(what: string): void;
  count(fault: string): void;
  violate(rule: string, what: string): void;
  /** Every line that the service logs. */
  onLog(line: string): void;
};

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** Commits between the plan of a fall and the fall: about what one payment makes. */
const mostCommitsUntil = 12;

/** One life of the service's process. What was begun in one is never heard of in the next. */
type Life = {
  service: Service;
  isOver: boolean;
  /** Resolves when the process has ended. */
  ended: Promise<undefined>;
  end(): void;
  release(): void;
};

const never = new Promise<never>(() => {});

/** The machine that the service runs on: its process and its disk, with all that befalls them. Its clock is right. */
export function openHost(deps: HostDeps) {
  const { world, has, tell, config } = deps;
  const chance = deps.chance.fork('host');
  const disk = openDisk(config.databaseFile, chance.fork('disk'));
  const ids = idsOf(chance.fork('ids'), world.now);
  let healed = false;
  let life: Life | undefined;
  /** A fall that waits for a commit further on: the first after a pause would always be a create's. */
  let coming: { after: number; fault: CommitFault } | undefined;

  function boot(): void {
    const mine = { isOver: false, release() {} } as unknown as Life;
    mine.ended = new Promise((resolve) => {
      mine.end = () => {
        mine.isOver = true;
        resolve(undefined);
      };
    });
    const hear = <T>(promise: Promise<T>): Promise<T> =>
      promise.then(
        (value) => (mine.isOver ? never : value),
        (fault) => (mine.isOver ? never : Promise.reject(fault)),
      );
    mine.service = buildService(config, {
      log: createLog({
        level: 'info',
        pretty: false,
        destination: { write: (line) => void (mine.isOver || deps.onLog(line)) },
      }),
      ids,
      clock: { now: world.now, sleep: (ms, signal) => hear(world.sleep(ms, signal)) },
      fetch: (url, request) => (mine.isOver ? never : hear(deps.send(url, request))),
      wrapRail: deps.wrapRail,
      openStore(options) {
        // The dead still let go of their lock, as the operating system sees to.
        const own = { ...options, clock: { now: world.now, sleep: world.sleep } };
        const store = openSqlite({ ...own, defer: world.defer, connect: disk.connect });
        mine.release = () => void store.close().catch(() => {});
        return {
          ...store,
          apply: (batch, signal) => (mine.isOver ? never : hear(store.apply(batch, signal))),
        };
      },
      onBroken: () => stop('ends because its disk failed', 'disk failure'),
    });
    life = mine;
    mine.service.start();
    tell('the service is up');
  }

  /** Ends the process without a word to it. */
  function kill(how: string): Life | undefined {
    const over = life;
    life = undefined;
    over?.end();
    deps.count(`fault service ${how}`);
    tell(`the service has a ${how}`);
    world.after(chance.pick([second, 5 * second, minute, 10 * minute]), start);
    return over;
  }

  /** The process is gone, and comes back after a while. */
  function stop(why: string, how: 'crash' | 'power cut' | 'disk failure'): void {
    if (!life) return;
    tell(`the service ${why}`);
    const over = kill(how);
    disk.drop(how === 'power cut');
    over?.release();
  }

  function start(): void {
    if (life) return;
    try {
      boot();
    } catch (fault) {
      deps.violate('liveness', `the service does not start: ${messageOf(fault)}`);
    }
  }

  function crashSoon(fault: CommitFault): void {
    coming ??= { after: disk.commits() + chance.int(0, mostCommitsUntil), fault };
  }

  function crashAtCommit(fault: CommitFault): void {
    disk.plan(fault, () => {
      const over = kill(fault === 'crash_amid' ? 'power cut' : 'crash');
      tell(`the service is killed (${fault})`);
      if (over) world.defer(over.release);
    });
  }

  /** Does something every now and then, until all is healed. */
  function often(feature: Feature, least: number, most: number, work: () => void): void {
    if (!has(feature)) return;
    const next = () =>
      world.after(chance.int(least, most), () => {
        if (healed) return;
        if (life) work();
        next();
      });
    next();
  }

  often('crashes', minute, hour, () =>
    chance.happens(0.2)
      ? stop('is killed', 'crash')
      : crashSoon(chance.pick(['crash_before', 'crash_after'])),
  );
  often('power_cuts', 2 * minute, 2 * hour, () =>
    chance.happens(0.3) ? stop('loses its power', 'power cut') : crashSoon('crash_amid'),
  );
  often('disk_fails', 20 * minute, 6 * hour, () => disk.plan('io_error', () => {}));
  often('disk_full', 10 * minute, 5 * hour, () => {
    deps.count('fault service disk full');
    disk.fill(true);
    // What filled the disk may also be this very commit.
    if (chance.happens(0.5)) disk.plan('full', () => {});
    world.after(chance.int(second, 10 * minute), () => disk.fill(false));
  });

  return {
    start,
    disk,
    isUp: () => life !== undefined,
    connection: () => (life ? disk.connection() : undefined),
    /** Lets somebody use the service. Resolves with nothing when there is none, or it ends before it is done. */
    async use<T>(work: (service: Service) => Promise<T>): Promise<T | undefined> {
      const mine = life;
      if (!mine) return undefined;
      const done = await Promise.race([work(mine.service), mine.ended]);
      return mine.isOver ? undefined : done;
    },
    /** Tells that something has happened: a fall may be due at the next commit. */
    step(): void {
      if (!coming || !life || disk.commits() < coming.after) return;
      crashAtCommit(coming.fault);
      coming = undefined;
    },
    /** From now on the machine behaves. */
    heal(): void {
      healed = true;
      coming = undefined;
      disk.unplan();
      disk.fill(false);
    },
    /** Ends the process in an orderly way. */
    async stop(): Promise<void> {
      await life?.service.stop();
      life = undefined;
    },
  };
}

export type Host = ReturnType<typeof openHost>;
