import type { ServiceConfig, ServiceOverrides } from '../../../src/service/config.ts';
import { createService, type Service } from '../../../src/service/create.ts';
import { messageOf } from '../../../src/shared/errors.ts';
import { createLog } from '../../../src/shared/log.ts';
import { createSqliteStore } from '../../../src/sqlite/sqlite.ts';
import type { Chance } from '../chance.ts';
import { type CommitFault, openDisk } from '../disk.ts';
import { openFaults } from '../faults.ts';
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
  /** Something was committed: what is on the disk now is what a fall would leave. */
  onCommit(): void;
};

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** Commits between the plan of a fall and the fall: about what one payment makes, and what one call does. */
const commitsOfPayment = 12;
const commitsOfCall = 3;

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
  const faults = openFaults({ chance, has, count: deps.count });
  const { of } = faults;
  let life: Life | undefined;
  /** Since when nothing has kept the service from its work; infinity while something does. */
  let wellSince = Number.POSITIVE_INFINITY;

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
    const committed = (applied: boolean) => {
      if (!mine.isOver) deps.onCommit();
      return applied;
    };
    mine.service = createService(config, {
      log: createLog({
        level: 'info',
        pretty: false,
        destination: { write: (line) => void (mine.isOver || deps.onLog(line)) },
      }),
      ids,
      clock: { now: world.now, sleep: (ms, signal) => hear(world.sleep(ms, signal)) },
      fetch: (url, request) => (mine.isOver ? never : hear(deps.send(url, request))),
      wrapRail: deps.wrapRail,
      createStore(options) {
        // The dead still let go of their lock, as the operating system sees to.
        const own = { ...options, clock: { now: world.now, sleep: world.sleep } };
        const store = createSqliteStore({ ...own, defer: world.defer, connect: disk.connect });
        mine.release = () => void store.close().catch(() => {});
        return {
          ...store,
          apply: (batch, signal) => (mine.isOver ? never : hear(store.apply(batch, signal).then(committed))),
        };
      },
      onDatabaseFailure: () => stop('ends because its disk failed', 'disk failure'),
    });
    life = mine;
    mine.service.start();
    wellSince = world.now();
    tell('the service is up');
  }

  /** Ends the process without a word to it. */
  function kill(how: string): Life | undefined {
    const over = life;
    life = undefined;
    over?.end();
    deps.count(`fault service ${how}`);
    tell(`the service has a ${how}`);
    world.after(chance.pick([second, 5 * second, minute, minute, 10 * minute, 40 * minute]), start);
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

  /** It falls around a commit, a few from now. */
  function stopAtCommit(fault: CommitFault, after: number): void {
    const onFault = () => {
      const over = kill(fault === 'crash_amid' ? 'power cut' : 'crash');
      tell(`the service is killed (${fault})`);
      if (over) world.defer(over.release);
    };
    disk.plan(fault, onFault, after);
  }

  /** Does something every now and then, until all is healed. */
  function often(feature: Feature, least: number, most: number, work: (own: Chance) => void): void {
    if (!has(feature)) return;
    const next = () =>
      world.after(of(feature).int(least, most), () => {
        if (!faults.isOn(feature)) return;
        if (life) work(of(feature));
        next();
      });
    next();
  }

  often('crashes', minute, hour, (own) =>
    own.happens(0.2)
      ? stop('is killed', 'crash')
      : stopAtCommit(own.pick(['crash_before', 'crash_after']), own.int(0, commitsOfPayment)),
  );
  often('power_cuts', 2 * minute, 2 * hour, (own) =>
    own.happens(0.3)
      ? stop('loses its power', 'power cut')
      : stopAtCommit('crash_amid', own.int(0, commitsOfPayment)),
  );
  often('disk_fails', 20 * minute, 6 * hour, () => disk.plan('io_error', () => {}));
  often('disk_full', 10 * minute, 5 * hour, (own) => {
    deps.count('fault service disk full');
    disk.fill(true);
    wellSince = Number.POSITIVE_INFINITY;
    // What filled the disk may also be this very commit.
    if (own.happens(0.5)) disk.plan('full', () => {});
    world.after(own.int(second, 10 * minute), () => {
      disk.fill(false);
      wellSince = world.now();
    });
  });

  /** Work that is begun may be cut off at any of its commits. */
  function fallsAmid(): void {
    if (faults.isOn('crashes') && of('crashes').happens(0.05))
      stopAtCommit(of('crashes').pick(['crash_before', 'crash_after']), of('crashes').int(0, commitsOfCall));
    if (faults.isOn('power_cuts') && of('power_cuts').happens(0.03))
      stopAtCommit('crash_amid', of('power_cuts').int(0, commitsOfCall));
  }

  return {
    start,
    disk,
    isUp: () => life !== undefined,
    connection: () => (life ? disk.connection() : undefined),
    /** Lets somebody use the service. Resolves with nothing when there is none, or it ends before it is done. */
    async use<T>(work: (service: Service) => Promise<T>): Promise<T | undefined> {
      const mine = life;
      if (!mine) return undefined;
      fallsAmid();
      const done = await Promise.race([work(mine.service), mine.ended]);
      return mine.isOver ? undefined : done;
    },
    /** Since when the service was able to work; infinity where it is not. */
    wellSince: () => (life ? wellSince : Number.POSITIVE_INFINITY),
    /** From now on the machine behaves. */
    heal(): void {
      faults.heal();
      disk.unplan();
      disk.fill(false);
      wellSince = world.now();
    },
    /** Ends the process in an orderly way. */
    async stop(): Promise<void> {
      await life?.service.stop();
      life = undefined;
    },
  };
}

export type Host = ReturnType<typeof openHost>;
