import { minute, second } from '../../kit/clock.ts';
import type { Random } from '../../kit/random.ts';
import { createFaults } from '../faults.ts';
import type { Host, MachineDeps } from '../machine.ts';
import type { Outgoing } from '../screens.ts';
import { createGatewayProcess, type GatewayProcess } from './gateway-process.ts';
import { createServer } from './server.ts';

/** The clocks of the machines are wrong by so much. */
const clockOffsetsMs = [-5 * minute, 5 * minute, 0, -2 * minute, 2 * minute];

/** Time within which a gateway is connected again after the server is back. */
const rejoinMs = 3 * second;

/** Simulates several gateways, each on its own machine, on one database server. Each request goes to any of them. */
export function createGateways(deps: MachineDeps, gateways: number): Host {
  const { scheduler, has, record, config } = deps;
  const random = deps.random.fork('gateways');
  const count = (what: string) => {
    deps.count(`fault ${what}`);
    record(`machines: ${what}`);
  };
  /** The last time at which a connection, a process or the server was not as it should be. */
  let disturbedAt = Number.NEGATIVE_INFINITY;
  const server = createServer({
    ...{ scheduler, random: random.fork('server'), has, count: deps.count, file: config.database.file },
    violate: deps.violate,
    onLost() {
      disturbedAt = scheduler.now();
    },
    record: (what) => record(`the server ${what}`),
  });
  const faults = createFaults({ random, has, count: deps.count });
  const processes = Array.from({ length: gateways }, (_, index) =>
    createGatewayProcess(deps, {
      server,
      number: index + 1,
      random: random.fork(`gateway ${index + 1}`),
      clockOffsetMs: clockOffsetsMs[index % clockOffsetsMs.length] ?? 0,
      // Shorter than the time after which the others take over the work of a gateway that has ended.
      maxIdleMs: random.pick([4 * second, 4.2 * second, 4.5 * second]),
    }),
  );
  const spread = random.fork('spread');

  const pick = (own: Random, list: readonly GatewayProcess[]) =>
    list[own.int(0, Math.max(0, list.length - 1))];
  const running = () => processes.filter((one) => one.isRunning());

  const repeatFault = faults.repeats(scheduler, () => {
    disturbedAt = scheduler.now();
    return true;
  });

  const onAny = (work: (one: GatewayProcess, own: Random) => void) => (own: Random) => {
    const one = pick(own, running());
    if (one) work(one, own);
  };

  repeatFault(
    'crashes',
    minute,
    30 * minute,
    onAny((one, own) => {
      const how = own.pick(['now', 'call', 'commit', 'commit'] as const);
      one.kill(how, own.pick([second, 20 * second, 2 * minute]));
    }),
  );
  repeatFault(
    'hosts_lost',
    2 * minute,
    40 * minute,
    onAny((one, own) => {
      count('host lost');
      one.loseHost(own.pick([5 * second, minute, 10 * minute]));
    }),
  );
  repeatFault(
    'pauses',
    30 * second,
    20 * minute,
    onAny((one, own) => {
      const moment = own.pick(['now', 'commit', 'send', 'send', 'read', 'read', 'read'] as const);
      const ms = own.pick([2, 16, 20, 35, 45, 130, 300]) * second;
      if (own.happens(0.5)) one.pauseUntilTaken(moment, 3 * minute);
      else one.pause(moment, ms);
    }),
  );
  repeatFault(
    'restarts',
    5 * minute,
    40 * minute,
    onAny((one) => void one.restart()),
  );
  repeatFault(
    'connections_lost',
    30 * second,
    15 * minute,
    onAny((one, own) => {
      count('connection lost');
      one.disconnect(own.pick(['all', 'member', 'batch', 'batch']));
    }),
  );
  repeatFault('server_crashes', 2 * minute, 40 * minute, (own) => {
    count('server crash');
    const awayMs = own.pick([200, second, 3 * second, 20 * second]);
    server.crash(awayMs);
    // One machine loses its power together with the server: it can be back before the others have connected again.
    const one = pick(own, running());
    if (own.happens(0.5)) one?.kill('now', awayMs);
    // Until the gateways have connected again, they do not hear of each other's pauses.
    scheduler.after(awayMs + rejoinMs, () => {
      disturbedAt = scheduler.now();
    });
  });

  return {
    gateways,
    start() {
      for (const one of processes) one.start();
    },
    hasEndedSince: (at) => processes.some((one) => one.hasEndedSince(at)),
    wasDownSince: (at) => processes.some((one) => one.wasDownSince(at)),
    beganAt: () => Math.max(...processes.map((one) => one.beganAt())),
    // The clock of the server is read within a round trip of a few milliseconds.
    maxClockErrorMs: 10,
    clockSetAt: () => Number.NEGATIVE_INFINITY,
    wasDisturbedSince: (at) => disturbedAt >= at || processes.some((one) => one.wasDownSince(at)),
    commits: server.commits,
    connection: () => server.connection,
    async request(url: string, init: RequestInit, outgoing?: Outgoing) {
      return pick(spread, running())?.request(url, init, outgoing);
    },
    heal() {
      faults.heal();
      server.heal();
      for (const one of processes) one.heal();
    },
    async stop() {
      const restores = server.connection.prepare('SELECT count(*) FROM restore').pluck().get();
      if (restores !== (has('copied_ledger') ? 1 : 0))
        deps.violate('recovery', `the ledger has ${restores} recoveries`);
      for (const one of processes) await one.stop();
    },
    close: server.close,
  };
}
