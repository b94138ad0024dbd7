import type { FileConfig } from '../../src/gateway/config/schema.ts';
import { createGateway, type Gateway } from '../../src/gateway/create.ts';
import { createReader } from '../../src/gateway/wiring/reads.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { errorMessage } from '../../src/shared/errors.ts';
import type { WebhookFetch } from '../../src/shared/http/webhook-fetch.ts';
import { createLog } from '../../src/shared/log.ts';
import type { Database } from '../../src/sqlite/driver.ts';
import { createSqliteStore } from '../../src/sqlite/sqlite.ts';
import type { Store } from '../../src/sqlite/store.ts';
import { hour, minute, second } from '../kit/clock.ts';
import { type CommitFault, createDisk } from './disk.ts';
import { createFaults } from './faults.ts';
import { idsOf } from './ids.ts';
import type { createNetwork } from './network.ts';
import type { Part } from './scene.ts';
import type { Outgoing } from './screens.ts';
import { plainPasswords } from './staff-access.ts';

export type MachineDeps = Part & {
  config: FileConfig;
  network: Pick<ReturnType<typeof createNetwork>, 'fetch'>;
  /** Sends a notification to a merchant's system. */
  notifyFetch: WebhookFetch;
  /** Resolves as soon as the database accepts writes. */
  passDatabase(): Promise<void>;
  record(what: string): void;
  /** Receives every line that the gateway logs. */
  onLog(line: string): void;
  /** Watches what the gateway reads and writes. */
  watchStore?: ((store: Store) => Store) | undefined;
  /** Called after a start, so that the stored data can be compared with what was acknowledged. */
  onUp(): void;
};

/** One process of the gateway. Work of an ended process never completes. */
type Life = { gateway: Gateway; isOver: boolean; isStopping: boolean; requests: number; release(): void };

const never = new Promise<never>(() => {});

/** Where the gateway runs: one process on a machine, or several. */
export type Host = {
  gateways: number;
  start(): void;
  /** Whether a process was not running at some time since `at`. */
  wasDownSince(at: number): boolean;
  /** Whether a process ended since `at`, and with it the connections of its replies. */
  hasEndedSince(at: number): boolean;
  /** Whether something else than the service's own answers can have delayed the gateway since `at`. */
  wasDisturbedSince(at: number): boolean;
  /** When the current process started, the last one of several, or now if none is running. */
  beganAt(): number;
  /** The difference between the gateway's clock and the true time, while no clock is set. */
  maxClockErrorMs: number;
  /** When a clock was last set. */
  clockSetAt(): number;
  /** The number of commits so far. */
  commits(): number;
  /** The committed rows; `undefined` while there is no process. */
  connection(): Database | undefined;
  /** Sends a request to the gateway. Resolves with `undefined` when the process ends before its reply. */
  request(url: string, init: RequestInit, outgoing?: Outgoing): Promise<Response | undefined>;
  /** Ends all faults. */
  heal(): void;
  /** Ends the processes in an orderly way. */
  stop(): Promise<void>;
  /** Closes the files. */
  close(): void;
};

/** Simulates the gateway's machine: its process, its clock and its disk, with their faults. */
export function createMachine(deps: MachineDeps): Host {
  const { scheduler, has, record, config } = deps;
  const random = deps.random.fork('machine');
  const disk = createDisk(config.database.file, random.fork('disk'));
  const ids = idsOf(random.fork('ids'), scheduler.now);
  const maxIdleMs = random.pick([minute, 10 * minute, 10 * minute]);
  const faults = createFaults({ random, has, count: deps.count });
  const { of } = faults;
  let skewMs = has('clock_skew') ? of('clock_skew').int(-10 * minute, 10 * minute) : 0;
  let life: Life | undefined;
  let upAt = Number.NEGATIVE_INFINITY;
  /** When the clock was last set. */
  let setAt = Number.NEGATIVE_INFINITY;
  /** Until then the process is suspended, and timers and replies are delayed. */
  let awakeAt = Number.NEGATIVE_INFINITY;

  const count = (what: string) => {
    deps.count(`fault ${what}`);
    record(`machine: ${what}`);
  };

  /** A planned suspension at the next commit, or at the next commit that allows an initiate call to leave. */
  let pause: { ms: number; sends?: number } | undefined;

  function fallAsleep(ms: number): void {
    awakeAt = scheduler.now() + ms;
    pause = undefined;
    count('pause');
  }

  /** The number of initiate calls that were recorded as sent. */
  const sends = () =>
    disk.connection()?.prepare('SELECT total(initiate_sends) FROM collection').pluck().get() as number;

  function committed(): void {
    if (pause && (pause.sends === undefined || sends() > pause.sends)) fallAsleep(pause.ms);
  }

  async function awake(): Promise<void> {
    while (scheduler.now() < awakeAt) await scheduler.sleep(awakeAt - scheduler.now());
  }

  function boot(): void {
    const mine = { isOver: false, isStopping: false, requests: 0, release() {} } as unknown as Life;
    const whileAlive = async <T>(promise: Promise<T>): Promise<T> => {
      try {
        return await promise;
      } finally {
        await awake();
        if (mine.isOver) await never;
      }
    };
    const system = systemClock(() => scheduler.now() + skewMs, scheduler.now);
    const log = createLog({
      level: 'info',
      pretty: false,
      destination: { write: (line) => void (mine.isOver || deps.onLog(line)) },
    });
    mine.gateway = createGateway(config, {
      log,
      ids,
      clock: { ...system, sleep: (ms, signal) => whileAlive(scheduler.sleep(ms, signal)) },
      fetch: (url, init) => (mine.isOver ? never : whileAlive(deps.network.fetch(url, init))),
      notifyFetch: (url, init) => (mine.isOver ? never : whileAlive(deps.notifyFetch(url, init))),
      maxIdleMs,
      createReader,
      passwords: plainPasswords,
      createStore(options) {
        // The operating system releases the lock of an ended process.
        const own = { ...options, clock: { ...system, sleep: scheduler.sleep } };
        const opened = createSqliteStore({ ...own, defer: scheduler.defer, connect: disk.connect });
        const store = deps.watchStore?.(opened) ?? opened;
        mine.release = () => void store.close().catch(() => {});
        const written = async <Answer>(write: () => Promise<Answer>): Promise<Answer> => {
          await deps.passDatabase();
          return mine.isOver ? never : whileAlive(write().finally(() => mine.isOver || committed()));
        };
        return {
          ...store,
          apply: (batch, signal) => written(() => store.apply(batch, signal)),
          applyReturning: (write) => written(() => store.applyReturning(write)),
        };
      },
      onBroken: () => stop('ends because its disk failed', 'disk failure'),
    });
    life = mine;
    mine.gateway.start().catch((fault) => {
      if (!mine.isOver) stop(`could not start: ${errorMessage(fault)}`);
    });
    upAt = scheduler.now();
    record('the gateway is up');
    deps.onUp();
  }

  /** Ends the process and schedules the next start. */
  function end(why: string, how?: 'crash' | 'power cut' | 'disk failure'): Life | undefined {
    if (!life) return undefined;
    if (how) count(how);
    const over = life;
    over.isOver = true;
    life = undefined;
    awakeAt = Number.NEGATIVE_INFINITY;
    record(`the gateway ${why}`);
    scheduler.after(random.pick([second, 5 * second, minute]), start);
    return over;
  }

  /** Ends the process between two commits. */
  function stop(why: string, how?: 'crash' | 'power cut' | 'disk failure'): void {
    const over = end(why, how);
    if (!over) return;
    disk.drop(how === 'power cut');
    over.release();
  }

  /** Restarts the process in order: it accepts no more requests, answers the pending ones, and stops. */
  async function restart(): Promise<void> {
    const over = life;
    if (!over || over.isStopping) return;
    count('restart');
    over.isStopping = true;
    while (over.requests > 0 && life === over) await scheduler.sleep(100);
    if (life !== over) return;
    // A stop can fail, for example on a full disk; the process ends anyway.
    const why = await over.gateway.stop().then(
      () => 'has stopped',
      (fault) => `failed to stop: ${errorMessage(fault)}`,
    );
    if (life === over) stop(why);
  }

  /** Ends the process at its next commit. */
  function stopAtCommit(fault: CommitFault): void {
    disk.plan(fault, () => {
      const over = end(`is killed (${fault})`, fault === 'crash_amid' ? 'power cut' : 'crash');
      if (over) scheduler.defer(over.release);
    });
  }

  function start(): void {
    if (life) return;
    try {
      boot();
    } catch (fault) {
      deps.violate('liveness', `the gateway did not start: ${errorMessage(fault)}`);
    }
  }

  const repeatFault = faults.repeats(scheduler, () => life !== undefined);

  repeatFault('crashes', 2 * minute, 3 * hour, (own) =>
    own.happens(0.2) ? stop('is killed', 'crash') : stopAtCommit(own.pick(['crash_before', 'crash_after'])),
  );
  repeatFault('power_cuts', 5 * minute, 4 * hour, (own) =>
    own.happens(0.3) ? stop('loses its power', 'power cut') : stopAtCommit('crash_amid'),
  );
  repeatFault('restarts', 10 * minute, 3 * hour, () => void restart());
  repeatFault('pauses', 5 * minute, 2 * hour, (own) => {
    const ms = own.pick([2 * second, 20 * second, 45 * second, 4 * minute, 20 * minute]);
    const when = own.pick(['now', 'commit', 'send', 'send']);
    if (when === 'now') fallAsleep(ms);
    else pause = when === 'send' ? { ms, sends: sends() } : { ms };
  });
  repeatFault('disk_fails', 20 * minute, 6 * hour, () => disk.plan('io_error', () => {}));
  repeatFault('disk_full', 10 * minute, 5 * hour, (own) => {
    count('disk full');
    disk.fill(true);
    // This commit may be the one that fills the disk.
    if (own.happens(0.5)) disk.plan('full', () => {});
    scheduler.after(own.int(second, 10 * minute), () => disk.fill(false));
  });
  repeatFault('foreign_locks', 10 * minute, 3 * hour, (own) => {
    count('foreign lock');
    const unlock = disk.lock();
    scheduler.after(own.pick([200, second, 5 * second]), unlock);
  });
  repeatFault('clock_jumps', 30 * minute, 8 * hour, (own) => {
    count('clock jump');
    setAt = scheduler.now();
    skewMs += own.pick([-hour, -10 * minute, -second, second, 10 * minute, hour, 24 * hour]);
  });

  const wasDownSince = (at: number) => life === undefined || life.isStopping || upAt >= at || awakeAt >= at;

  return {
    gateways: 1,
    start,
    wasDownSince,
    hasEndedSince: wasDownSince,
    wasDisturbedSince: () => true,
    maxClockErrorMs: 0,
    beganAt: () => (life ? upAt : scheduler.now()),
    clockSetAt: () => setAt,
    commits: disk.commits,
    connection: () => (life ? disk.connection() : undefined),
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
    heal(): void {
      faults.heal();
      pause = undefined;
      if (skewMs !== 0) setAt = scheduler.now();
      skewMs = 0;
      disk.unplan();
      disk.fill(false);
    },
    async stop(): Promise<void> {
      await life?.gateway.stop();
      life = undefined;
    },
    close: () => disk.drop(false),
  };
}
