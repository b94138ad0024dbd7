import type { Config } from '../../src/config/schema.ts';
import { openSqlite } from '../../src/db/sqlite.ts';
import { buildGateway, type Gateway } from '../../src/gateway.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { messageOf } from '../../src/shared/errors.ts';
import { createLog } from '../../src/shared/log.ts';
import type { Chance } from './chance.ts';
import { type CommitFault, openDisk } from './disk.ts';
import type { Feature } from './features.ts';
import { idsOf } from './ids.ts';
import type { openNetwork } from './network.ts';
import type { World } from './world.ts';

export type MachineDeps = {
  world: World;
  chance: Chance;
  has(feature: Feature): boolean;
  config: Config;
  network: Pick<ReturnType<typeof openNetwork>, 'fetch'>;
  tell(what: string): void;
  /** Something befell the machine. */
  count(fault: string): void;
  violate(rule: string, what: string): void;
  /** Every line that the gateway logs. */
  onLog(line: string): void;
  /** The gateway came up; what it found on disk may be compared with what it promised. */
  onUp(): void;
};

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** One life of the gateway's process. What was begun in one is never heard of in the next. */
type Life = { gateway: Gateway; isOver: boolean; release(): void };

const never = new Promise<never>(() => {});

export type Machine = ReturnType<typeof openMachine>;

/** The machine that the gateway runs on: its process, its clock and its disk, with all that befalls them. */
export function openMachine(deps: MachineDeps) {
  const { world, has, tell, config } = deps;
  const chance = deps.chance.fork('machine');
  const disk = openDisk(config.database.file, chance.fork('disk'));
  const ids = idsOf(chance.fork('ids'), world.now);
  const longestNapMs = chance.pick([minute, 10 * minute, 10 * minute]);
  let healed = false;
  let skewMs = has('clock_skew') ? chance.int(-10 * minute, 10 * minute) : 0;
  let life: Life | undefined;
  let upAt = Number.NEGATIVE_INFINITY;

  const count = (what: string) => {
    deps.count(`fault ${what}`);
    tell(`machine: ${what}`);
  };

  function boot(): void {
    const mine = { isOver: false, release() {} } as unknown as Life;
    const hear = <T>(promise: Promise<T>): Promise<T> =>
      promise.then(
        (value) => (mine.isOver ? never : value),
        (fault) => (mine.isOver ? never : Promise.reject(fault)),
      );
    const system = systemClock(() => world.now() + skewMs, world.now);
    const log = createLog({
      level: 'info',
      pretty: false,
      destination: { write: (line) => void (mine.isOver || deps.onLog(line)) },
    });
    mine.gateway = buildGateway(config, {
      log,
      ids,
      clock: { ...system, sleep: (ms, signal) => hear(world.sleep(ms, signal)) },
      fetch: (url, init) => (mine.isOver ? never : hear(deps.network.fetch(url, init))),
      longestNapMs,
      openStore(options) {
        // The dead still let go of their lock, as the operating system sees to.
        const own = { ...options, clock: { ...system, sleep: world.sleep } };
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
    mine.gateway.start().catch((fault) => {
      if (!mine.isOver) stop(`could not start: ${messageOf(fault)}`);
    });
    upAt = world.now();
    tell('the gateway is up');
    deps.onUp();
  }

  /** The process is gone, and comes back after a while. */
  function stop(why: string, how?: 'crash' | 'power cut' | 'disk failure'): void {
    if (!life) return;
    if (how) count(how);
    const over = life;
    over.isOver = true;
    life = undefined;
    tell(`the gateway ${why}`);
    disk.drop(how === 'power cut');
    over.release();
    world.after(chance.pick([second, 5 * second, minute]), start);
  }

  function start(): void {
    if (life) return;
    try {
      boot();
    } catch (fault) {
      deps.violate('liveness', `the gateway does not start: ${messageOf(fault)}`);
    }
  }

  function crashAtCommit(fault: CommitFault): void {
    disk.plan(fault, () => {
      if (fault === 'crash_amid') count('power cut');
      else count('crash');
      const over = life;
      life = undefined;
      if (over) {
        over.isOver = true;
        world.defer(over.release);
      }
      tell(`the gateway is killed (${fault})`);
      world.after(chance.pick([second, 5 * second, minute]), start);
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

  often('crashes', 2 * minute, 3 * hour, () =>
    chance.happens(0.2)
      ? stop('is killed', 'crash')
      : crashAtCommit(chance.pick(['crash_before', 'crash_after'])),
  );
  often('power_cuts', 5 * minute, 4 * hour, () =>
    chance.happens(0.3) ? stop('loses its power', 'power cut') : crashAtCommit('crash_amid'),
  );
  often('disk_fails', 20 * minute, 6 * hour, () => disk.plan('io_error', () => {}));
  often('disk_full', 10 * minute, 5 * hour, () => {
    count('disk full');
    disk.fill(true);
    // What filled the disk may also be this very commit.
    if (chance.happens(0.5)) disk.plan('full', () => {});
    world.after(chance.int(second, 10 * minute), () => disk.fill(false));
  });
  often('foreign_locks', 10 * minute, 3 * hour, () => {
    count('foreign lock');
    const unlock = disk.lock();
    world.after(chance.pick([200, second, 5 * second]), unlock);
  });
  often('clock_jumps', 30 * minute, 8 * hour, () => {
    count('clock jump');
    skewMs += chance.pick([-hour, -10 * minute, -second, second, 10 * minute, hour, 24 * hour]);
  });

  return {
    start,
    isUp: () => life !== undefined,
    /** Whether the process was away since then, or has only just come back. */
    wasDownSince: (at: number) => life === undefined || upAt >= at,
    disk,
    connection: () => (life ? disk.connection() : undefined),
    /** A request to the gateway. Resolves with nothing when the process ends before it has answered. */
    async request(url: string, init: RequestInit): Promise<Response | undefined> {
      const mine = life;
      if (!mine) return undefined;
      const answer = await mine.gateway.app.request(url, init);
      return mine.isOver ? undefined : answer;
    },
    /** From now on the machine behaves. */
    heal(): void {
      healed = true;
      skewMs = 0;
      disk.unplan();
      disk.fill(false);
    },
    /** Ends the process in an orderly way. */
    async stop(): Promise<void> {
      await life?.gateway.stop();
      life = undefined;
    },
  };
}
