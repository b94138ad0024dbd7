import type { Config } from '../../src/gateway/config/schema.ts';
import { createGateway, type Gateway } from '../../src/gateway/create.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { messageOf } from '../../src/shared/errors.ts';
import { createLog } from '../../src/shared/log.ts';
import { createSqliteStore } from '../../src/sqlite/sqlite.ts';
import type { Chance } from './chance.ts';
import { type CommitFault, openDisk } from './disk.ts';
import { openFaults } from './faults.ts';
import type { Feature } from './features.ts';
import { idsOf } from './ids.ts';
import type { openNetwork } from './network.ts';
import type { Outgoing } from './screens.ts';
import type { World } from './world.ts';

export type MachineDeps = {
  world: World;
  chance: Chance;
  has(feature: Feature): boolean;
  config: Config;
  network: Pick<ReturnType<typeof openNetwork>, 'fetch'>;
  /** Resolves when the database takes writes. */
  passDatabase(): Promise<void>;
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
type Life = { gateway: Gateway; isOver: boolean; isStopping: boolean; requests: number; release(): void };

const never = new Promise<never>(() => {});

export type Machine = ReturnType<typeof openMachine>;

/** The machine that the gateway runs on: its process, its clock and its disk, with all that befalls them. */
export function openMachine(deps: MachineDeps) {
  const { world, has, tell, config } = deps;
  const chance = deps.chance.fork('machine');
  const disk = openDisk(config.database.file, chance.fork('disk'));
  const ids = idsOf(chance.fork('ids'), world.now);
  const maxIdleMs = chance.pick([minute, 10 * minute, 10 * minute]);
  const faults = openFaults({ chance, has, count: deps.count });
  const { of } = faults;
  let skewMs = has('clock_skew') ? of('clock_skew').int(-10 * minute, 10 * minute) : 0;
  let life: Life | undefined;
  let upAt = Number.NEGATIVE_INFINITY;
  /** When its clock was last set. */
  let setAt = Number.NEGATIVE_INFINITY;
  /** Until then the process is stopped, and none of its timers and answers reach it. */
  let awakeAt = Number.NEGATIVE_INFINITY;

  const count = (what: string) => {
    deps.count(`fault ${what}`);
    tell(`machine: ${what}`);
  };

  /** A stop that waits for a commit: the next one, or, where it hurts most, the next one by which initiate may leave. */
  let pause: { ms: number; sends?: number } | undefined;

  function fallAsleep(ms: number): void {
    awakeAt = world.now() + ms;
    pause = undefined;
    count('pause');
  }

  /** How many times initiate was written down to be sent. */
  const sends = () =>
    disk.connection()?.prepare('SELECT total(initiate_sends) FROM collection').pluck().get() as number;

  function committed(): void {
    if (pause && (pause.sends === undefined || sends() > pause.sends)) fallAsleep(pause.ms);
  }

  async function awake(): Promise<void> {
    while (world.now() < awakeAt) await world.sleep(awakeAt - world.now());
  }

  function boot(): void {
    const mine = { isOver: false, isStopping: false, requests: 0, release() {} } as unknown as Life;
    const hear = async <T>(promise: Promise<T>): Promise<T> => {
      try {
        return await promise;
      } finally {
        await awake();
        if (mine.isOver) await never;
      }
    };
    const system = systemClock(() => world.now() + skewMs, world.now);
    const log = createLog({
      level: 'info',
      pretty: false,
      destination: { write: (line) => void (mine.isOver || deps.onLog(line)) },
    });
    mine.gateway = createGateway(config, {
      log,
      ids,
      clock: { ...system, sleep: (ms, signal) => hear(world.sleep(ms, signal)) },
      fetch: (url, init) => (mine.isOver ? never : hear(deps.network.fetch(url, init))),
      maxIdleMs,
      createStore(options) {
        // The dead still let go of their lock, as the operating system sees to.
        const own = { ...options, clock: { ...system, sleep: world.sleep } };
        const store = createSqliteStore({ ...own, defer: world.defer, connect: disk.connect });
        mine.release = () => void store.close().catch(() => {});
        return {
          ...store,
          async apply(batch, signal) {
            await deps.passDatabase();
            if (mine.isOver) return never;
            const applied = store.apply(batch, signal);
            return hear(applied.finally(() => mine.isOver || committed()));
          },
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
  function end(why: string, how?: 'crash' | 'power cut' | 'disk failure'): Life | undefined {
    if (!life) return undefined;
    if (how) count(how);
    const over = life;
    over.isOver = true;
    life = undefined;
    awakeAt = Number.NEGATIVE_INFINITY;
    tell(`the gateway ${why}`);
    world.after(chance.pick([second, 5 * second, minute]), start);
    return over;
  }

  /** It ends between two commits. */
  function stop(why: string, how?: 'crash' | 'power cut' | 'disk failure'): void {
    const over = end(why, how);
    if (!over) return;
    disk.drop(how === 'power cut');
    over.release();
  }

  /** Ends the process in order: it takes no more requests, answers those that it has, and stops. */
  async function restart(): Promise<void> {
    const over = life;
    if (!over || over.isStopping) return;
    count('restart');
    over.isStopping = true;
    while (over.requests > 0 && life === over) await world.sleep(100);
    if (life === over) await over.gateway.stop();
    if (life === over) stop('has stopped');
  }

  /** It ends around its next commit. */
  function stopAtCommit(fault: CommitFault): void {
    disk.plan(fault, () => {
      const over = end(`is killed (${fault})`, fault === 'crash_amid' ? 'power cut' : 'crash');
      if (over) world.defer(over.release);
    });
  }

  function start(): void {
    if (life) return;
    try {
      boot();
    } catch (fault) {
      deps.violate('liveness', `the gateway does not start: ${messageOf(fault)}`);
    }
  }

  /** Does something every now and then, until all is healed. */
  function often(feature: Feature, least: number, most: number, work: (chance: Chance) => void): void {
    if (!has(feature)) return;
    const next = () =>
      world.after(of(feature).int(least, most), () => {
        if (!faults.isOn(feature)) return;
        if (life) work(of(feature));
        next();
      });
    next();
  }

  often('crashes', 2 * minute, 3 * hour, (own) =>
    own.happens(0.2) ? stop('is killed', 'crash') : stopAtCommit(own.pick(['crash_before', 'crash_after'])),
  );
  often('power_cuts', 5 * minute, 4 * hour, (own) =>
    own.happens(0.3) ? stop('loses its power', 'power cut') : stopAtCommit('crash_amid'),
  );
  often('restarts', 10 * minute, 3 * hour, () => void restart());
  often('pauses', 5 * minute, 2 * hour, (own) => {
    const ms = own.pick([2 * second, 20 * second, 45 * second, 4 * minute, 20 * minute]);
    const when = own.pick(['now', 'commit', 'send', 'send']);
    if (when === 'now') fallAsleep(ms);
    else pause = when === 'send' ? { ms, sends: sends() } : { ms };
  });
  often('disk_fails', 20 * minute, 6 * hour, () => disk.plan('io_error', () => {}));
  often('disk_full', 10 * minute, 5 * hour, (own) => {
    count('disk full');
    disk.fill(true);
    // What filled the disk may also be this very commit.
    if (own.happens(0.5)) disk.plan('full', () => {});
    world.after(own.int(second, 10 * minute), () => disk.fill(false));
  });
  often('foreign_locks', 10 * minute, 3 * hour, (own) => {
    count('foreign lock');
    const unlock = disk.lock();
    world.after(own.pick([200, second, 5 * second]), unlock);
  });
  often('clock_jumps', 30 * minute, 8 * hour, (own) => {
    count('clock jump');
    setAt = world.now();
    skewMs += own.pick([-hour, -10 * minute, -second, second, 10 * minute, hour, 24 * hour]);
  });

  return {
    start,
    /** Whether the process was away since then, or has only just come back. */
    wasDownSince: (at: number) => life === undefined || life.isStopping || upAt >= at || awakeAt >= at,
    /** When the process began that is there now, or will be next. */
    beganAt: () => (life ? upAt : world.now()),
    /** When its clock was last set. */
    clockSetAt: () => setAt,
    disk,
    connection: () => (life ? disk.connection() : undefined),
    /** A request to the gateway. Resolves with nothing when the process ends before it has answered. */
    async request(url: string, init: RequestInit, outgoing?: Outgoing): Promise<Response | undefined> {
      await awake();
      const mine = life;
      if (!mine || mine.isStopping) return undefined;
      mine.requests += 1;
      const answer = await mine.gateway.app.request(url, init, { outgoing });
      mine.requests -= 1;
      await awake();
      return mine.isOver ? undefined : answer;
    },
    /** From now on the machine behaves. */
    heal(): void {
      faults.heal();
      pause = undefined;
      if (skewMs !== 0) setAt = world.now();
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
