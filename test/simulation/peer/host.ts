import type { ServiceConfig, ServiceOverrides } from '../../../src/service/config.ts';
import { createService, type Service } from '../../../src/service/create.ts';
import { errorMessage } from '../../../src/shared/errors.ts';
import { createLog } from '../../../src/shared/log.ts';
import { createSqliteStore } from '../../../src/sqlite/sqlite.ts';
import { hour, minute, second } from '../../kit/clock.ts';
import { type CommitFault, createDisk } from '../disk.ts';
import { createFaults } from '../faults.ts';
import { idsOf } from '../ids.ts';
import type { Part } from '../scene.ts';

export type HostDeps = Part & {
  config: ServiceConfig;
  send: NonNullable<ServiceOverrides['fetch']>;
  wrapRail: NonNullable<ServiceOverrides['wrapRail']>;
  record(what: string): void;
  /** Receives every line that the service logs. */
  onLog(line: string): void;
  /** Called after each commit: a crash would leave this state. */
  onCommit(): void;
};

/** The largest number of commits before a planned crash: those of one payment, and of one call. */
const commitsOfPayment = 12;
const commitsOfCall = 3;

/** One process of the service. Work of an ended process never completes. */
type Life = {
  service: Service;
  isOver: boolean;
  /** Resolves when the process ends. */
  ended: Promise<undefined>;
  end(): void;
  release(): void;
};

const never = new Promise<never>(() => {});

/** Simulates the service's machine: its process and its disk, with their faults. Its clock is correct. */
export function createHost(deps: HostDeps) {
  const { scheduler, has, record, config } = deps;
  const random = deps.random.fork('host');
  const disk = createDisk(config.databaseFile, random.fork('disk'));
  const ids = idsOf(random.fork('ids'), scheduler.now);
  const faults = createFaults({ random, has, count: deps.count });
  const { of } = faults;
  let life: Life | undefined;
  /** The time since which no fault impairs the service, or infinity. */
  let wellSince = Number.POSITIVE_INFINITY;

  function boot(): void {
    const mine = { isOver: false, release() {} } as unknown as Life;
    mine.ended = new Promise((resolve) => {
      mine.end = () => {
        mine.isOver = true;
        resolve(undefined);
      };
    });
    const whileAlive = <T>(promise: Promise<T>): Promise<T> =>
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
      clock: { now: scheduler.now, sleep: (ms, signal) => whileAlive(scheduler.sleep(ms, signal)) },
      fetch: (url, request) => (mine.isOver ? never : whileAlive(deps.send(url, request))),
      wrapRail: deps.wrapRail,
      createStore(options) {
        // The operating system releases the lock of an ended process.
        const own = { ...options, clock: { now: scheduler.now, sleep: scheduler.sleep } };
        const store = createSqliteStore({ ...own, defer: scheduler.defer, connect: disk.connect });
        mine.release = () => void store.close().catch(() => {});
        return {
          ...store,
          apply: (batch, signal) =>
            mine.isOver ? never : whileAlive(store.apply(batch, signal).then(committed)),
        };
      },
      onBroken: () => stop('ends because its disk failed', 'disk failure'),
    });
    life = mine;
    mine.service.start();
    wellSince = scheduler.now();
    record('the service is up');
  }

  /** Kills the process and schedules the next start. */
  function kill(how: string): Life | undefined {
    const over = life;
    life = undefined;
    over?.end();
    deps.count(`fault service ${how}`);
    record(`the service has a ${how}`);
    scheduler.after(random.pick([second, 5 * second, minute, minute, 10 * minute, 40 * minute]), start);
    return over;
  }

  /** Kills the process and drops unsynced data after a power cut. */
  function stop(why: string, how: 'crash' | 'power cut' | 'disk failure'): void {
    if (!life) return;
    record(`the service ${why}`);
    const over = kill(how);
    disk.drop(how === 'power cut');
    over?.release();
  }

  function start(): void {
    if (life) return;
    try {
      boot();
    } catch (fault) {
      deps.violate('liveness', `the service does not start: ${errorMessage(fault)}`);
    }
  }

  /** Ends the process at a commit, a few commits from now. */
  function stopAtCommit(fault: CommitFault, after: number): void {
    const onFault = () => {
      const over = kill(fault === 'crash_amid' ? 'power cut' : 'crash');
      record(`the service is killed (${fault})`);
      if (over) scheduler.defer(over.release);
    };
    disk.plan(fault, onFault, after);
  }

  const repeatFault = faults.repeats(scheduler, () => life !== undefined);

  repeatFault('crashes', minute, hour, (own) =>
    own.happens(0.2)
      ? stop('is killed', 'crash')
      : stopAtCommit(own.pick(['crash_before', 'crash_after']), own.int(0, commitsOfPayment)),
  );
  repeatFault('power_cuts', 2 * minute, 2 * hour, (own) =>
    own.happens(0.3)
      ? stop('loses its power', 'power cut')
      : stopAtCommit('crash_amid', own.int(0, commitsOfPayment)),
  );
  repeatFault('disk_fails', 20 * minute, 6 * hour, () => disk.plan('io_error', () => {}));
  repeatFault('disk_full', 10 * minute, 5 * hour, (own) => {
    deps.count('fault service disk full');
    disk.fill(true);
    wellSince = Number.POSITIVE_INFINITY;
    // This commit may be the one that fills the disk.
    if (own.happens(0.5)) disk.plan('full', () => {});
    scheduler.after(own.int(second, 10 * minute), () => {
      disk.fill(false);
      wellSince = scheduler.now();
    });
  });

  /** Plans a crash at one of the next commits. */
  function planFailureDuringCall(): void {
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
    /** Runs `work` with the service. Resolves with `undefined` when no service runs, or when it ends first. */
    async use<T>(work: (service: Service) => Promise<T>): Promise<T | undefined> {
      const mine = life;
      if (!mine) return undefined;
      planFailureDuringCall();
      const done = await Promise.race([work(mine.service), mine.ended]);
      return mine.isOver ? undefined : done;
    },
    /** The time since which the service can work, or infinity. */
    wellSince: () => (life ? wellSince : Number.POSITIVE_INFINITY),
    /** Ends all faults of the machine. */
    heal(): void {
      faults.heal();
      disk.unplan();
      disk.fill(false);
      wellSince = scheduler.now();
    },
    /** Stops the process in order. */
    async stop(): Promise<void> {
      await life?.service.stop();
      life = undefined;
    },
  };
}

export type Host = ReturnType<typeof createHost>;
