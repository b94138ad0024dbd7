import { setMaxListeners } from 'node:events';
import { type Gateway, openGateway } from '../../../src/gateway/create.ts';
import { createReader } from '../../../src/gateway/wiring/reads.ts';
import { type Clock, systemClock } from '../../../src/shared/clock.ts';
import { errorMessage } from '../../../src/shared/errors.ts';
import { createLog } from '../../../src/shared/log.ts';
import { second } from '../../kit/clock.ts';
import type { Random } from '../../kit/random.ts';
import { idsOf } from '../ids.ts';
import type { MachineDeps } from '../machine.ts';
import type { Outgoing } from '../screens.ts';
import { plainPasswords } from '../staff-access.ts';
import type { Client, Server } from './server.ts';

type ProcessOptions = {
  server: Server;
  number: number;
  random: Random;
  /** The difference between the clock of this machine and the true time. */
  clockOffsetMs: number;
  maxIdleMs: number;
};

/**
 * A moment at which a process ends or is suspended: now, at its next call, after its next commit or the one that allows a prompt, or
 * after one of the queries that follow its next claim.
 */
type Moment = 'now' | 'call' | 'commit' | 'send' | 'read';

type Life = Client & { gateway?: Gateway; isOver: boolean; isStopping: boolean; requests: number };

/** Of its own for each caller, so that the work of an ended process can be collected. */
const never = () => new Promise<never>(() => {});

/** Everything that a suspended process does waits for it. */
function createSignal(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}

export type GatewayProcess = ReturnType<typeof createGatewayProcess>;

/** Simulates the process of one of several gateways, with its faults. */
export function createGatewayProcess(deps: MachineDeps, options: ProcessOptions) {
  const { scheduler, config } = deps;
  const { server, number, random, clockOffsetMs, maxIdleMs } = options;
  const ids = idsOf(random.fork('ids'), scheduler.now);
  let life: Life | undefined;
  let upAt = Number.NEGATIVE_INFINITY;
  /** Until then the process is suspended. */
  let awakeAt = Number.NEGATIVE_INFINITY;
  /** When the last suspension began. */
  let suspendedAt = Number.NEGATIVE_INFINITY;
  /** Aborted when the end of a suspension comes nearer. */
  let shortened = createSignal();
  let planned: { moment: Moment; work(): void; prompts: number; claims: number; reads: number } | undefined;

  const record = (what: string) => deps.record(`${number} ${what}`);
  const count = (what: string) => {
    deps.count(`fault ${what}`);
    record(what);
  };
  const prompts = () =>
    server.connection.prepare('SELECT total(initiate_sends) FROM collection').pluck().get() as number;

  async function awake(): Promise<void> {
    while (scheduler.now() < awakeAt) await scheduler.sleep(awakeAt - scheduler.now(), shortened.signal);
  }

  /** How long a request can have waited that is read shortly after a suspension. */
  function waitedMs(): number {
    const now = scheduler.now();
    return now < awakeAt + 500 ? Math.max(0, now - suspendedAt) : 0;
  }

  function suspend(ms: number): void {
    suspendedAt = scheduler.now();
    awakeAt = suspendedAt + ms;
    count('pause');
  }

  function wakeWithin(ms: number): void {
    awakeAt = Math.min(awakeAt, scheduler.now() + ms);
    shortened.abort();
    shortened = createSignal();
  }

  function plan(moment: Moment, work: () => void): void {
    if (moment === 'now') work();
    else
      planned = {
        ...{ moment, work, prompts: prompts() },
        ...{ claims: life ? server.claimsOf(life) : 0, reads: random.int(1, 4) },
      };
  }

  function reached(moment: 'call' | 'commit' | 'read'): void {
    if (!planned || !life) return;
    if (planned.moment === 'read' && moment === 'read') {
      if (server.claimsOf(life) > planned.claims) planned.reads -= 1;
      if (planned.reads > 0) return;
    }
    const isSend = planned.moment === 'send' && moment === 'commit' && prompts() > planned.prompts;
    if (planned.moment !== moment && !isSend) return;
    const { work } = planned;
    planned = undefined;
    work();
  }

  function clientOf(mine: Life): Pick<Client, 'whileAlive'> {
    return {
      async whileAlive(work) {
        try {
          return await work;
        } finally {
          await awake();
          if (mine.isOver) await never();
        }
      },
    };
  }

  function boot(): void {
    const mine: Life = {
      whileAlive: (work) => clientOf(mine).whileAlive(work),
      onRead: () => mine.isOver || reached('read'),
      isOver: false,
      isStopping: false,
      requests: 0,
    };
    const started = scheduler.now();
    const system = systemClock(
      () => scheduler.now() + clockOffsetMs,
      () => scheduler.now() - started,
    );
    const clock: Clock = { ...system, sleep: (ms, signal) => mine.whileAlive(scheduler.sleep(ms, signal)) };
    const log = createLog({
      level: 'info',
      pretty: false,
      destination: { write: (line) => void (mine.isOver || deps.onLog(line)) },
    });
    const open = server.open(mine);
    /** The process may end, or be suspended, when a write is committed. */
    const written = async <Answer>(write: () => Promise<Answer>): Promise<Answer> => {
      if (mine.isOver) return never();
      const answer = await write();
      if (answer && !mine.isOver) reached('commit');
      await awake();
      return mine.isOver ? never() : answer;
    };
    life = mine;
    upAt = scheduler.now();
    const database = { url: 'postgres://simulated', maxConnections: 10 };
    openGateway(
      { ...config, database },
      {
        ...{ log, ids, clock, maxIdleMs, createReader, passwords: plainPasswords },
        suspensions: { waitedMs, stop() {} },
        fetch(url, init) {
          if (mine.isOver) return never();
          reached('call');
          if (!mine.isOver) server.checkCall(mine, url);
          return mine.isOver ? never() : mine.whileAlive(deps.network.fetch(url, init));
        },
        notifyFetch: (url, init) => (mine.isOver ? never() : mine.whileAlive(deps.notifyFetch(url, init))),
        async openServer(opening) {
          const { store, member } = await open(opening);
          return {
            member,
            store: {
              ...store,
              apply: (batch, signal) => written(() => store.apply(batch, signal)),
              applyReturning: (write) => written(() => store.applyReturning(write)),
            },
          };
        },
        onBroken: () => kill('now', second),
      },
    )
      .then(async (gateway) => {
        await gateway.start();
        mine.gateway = gateway;
        upAt = scheduler.now();
        record('is up');
        deps.onUp();
      })
      .catch((fault) => {
        if (mine.isOver) return;
        record(`could not start: ${errorMessage(fault)}`);
        end(mine, 5 * second);
      });
  }

  function start(): void {
    if (!life) boot();
  }

  function end(over: Life, restartMs: number): void {
    if (life !== over) return;
    over.isOver = true;
    life = undefined;
    awakeAt = Number.NEGATIVE_INFINITY;
    planned = undefined;
    scheduler.after(restartMs, start);
  }

  function kill(moment: Moment, restartMs: number): void {
    plan(moment, () => {
      if (!life) return;
      count('crash');
      const over = life;
      end(over, restartMs);
      server.disconnect(over);
    });
  }

  return {
    start,
    kill,
    isRunning: () => life?.gateway !== undefined && !life.isStopping,
    /** The machine ends without a word: the server keeps its connections for a while. */
    loseHost(restartMs: number): void {
      if (!life) return;
      const over = life;
      end(over, restartMs);
      server.loseHost(over);
    },
    pause(moment: Moment, ms: number): void {
      plan(moment, () => {
        suspend(ms);
      });
    },
    /** Suspends the process until another one takes what it works on, and for a moment longer. */
    pauseUntilTaken(moment: Moment, maxMs: number): void {
      plan(moment, () => {
        if (!life) return;
        const mine = life;
        suspend(maxMs);
        server.whenTaken(mine, () => {
          server.whenTaken(mine);
          if (life === mine) wakeWithin(random.pick([0, 1, 3, random.int(0, 400)]));
        });
      });
    },
    disconnect(which: 'all' | 'member' | 'batch'): void {
      if (life) server.disconnect(life, which);
    },
    async restart(): Promise<void> {
      const over = life;
      if (!over?.gateway || over.isStopping) return;
      count('restart');
      over.isStopping = true;
      while (over.requests > 0 && life === over) await scheduler.sleep(100);
      if (life !== over) return;
      await over.gateway.stop().catch((fault) => record(`failed to stop: ${errorMessage(fault)}`));
      server.disconnect(over);
      end(over, second);
    },
    beganAt: () => upAt,
    hasEndedSince: (at: number) => !life?.gateway || life.isStopping || upAt >= at,
    wasDownSince: (at: number) => !life?.gateway || life.isStopping || upAt >= at || awakeAt >= at,
    async request(url: string, init: RequestInit, outgoing?: Outgoing): Promise<Response | undefined> {
      await awake();
      const mine = life;
      if (!mine?.gateway || mine.isStopping) return undefined;
      mine.requests += 1;
      const answer = await mine.gateway.app.request(url, init, { outgoing });
      mine.requests -= 1;
      await awake();
      return mine.isOver ? undefined : answer;
    },
    heal(): void {
      planned = undefined;
    },
    async stop(): Promise<void> {
      await life?.gateway?.stop();
      life = undefined;
    },
  };
}
