import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { lostRequestMs } from '../../../src/collection/decision.ts';
import { openAggregator } from '../aggregator.ts';
import { chanceOf } from '../chance.ts';
import { openChecks } from '../check.ts';
import { simulatedConfig } from '../config.ts';
import type { Feature } from '../features.ts';
import { scratch } from '../files.ts';
import { openMachine } from '../machine.ts';
import { type CallSeen, openNetwork } from '../network.ts';
import type { OracleAnswer } from '../oracle/oracle.ts';
import { openPace } from '../pace.ts';
import {
  hour,
  minute,
  mostPayers,
  type Outcome,
  openPeople,
  openScene,
  type Plan,
  readBooks,
  settleHours,
  start,
  tally,
  workLeft,
} from '../scene.ts';
import { openBook } from './book.ts';
import { openPeerChecks } from './check.ts';
import { openClaims } from './claims.ts';
import { pickPeerFeatures } from './features.ts';
import { adminToken, freshFiles } from './files.ts';
import { openHost } from './host.ts';
import { openPhones } from './phones.ts';
import { openPost } from './post.ts';

/*
 * The simulation with the project's own service in the oracle's place: both programs are real, each on a machine of its
 * own. What the oracle does on purpose it does not do; what befalls machines and networks befalls it as well.
 */

/** Attempts of the service's own plan. */
const mostAttempts = 13;

/** Faults of one machine; they befall the gateway's, the service's, or both, as the seed says. */
const ofOneMachine: readonly Feature[] = ['crashes', 'power_cuts', 'disk_full', 'disk_fails'];

export function planOf(seed: number, days: number): Plan {
  const chance = chanceOf(`plan of the service ${seed}`);
  return {
    seed,
    hours: Math.max(1, Math.round(24 * days)),
    features: pickPeerFeatures(chance),
    payers: chance.int(1, mostPayers),
    visits: chance.int(3, 16),
  };
}

/** Plays one plan to its end: first with its faults, then without, until all is quiet. */
export async function run(plan: Plan): Promise<Outcome> {
  const folder = mkdtempSync(join(scratch(), 'peer-'));
  try {
    return await play(plan, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function play(plan: Plan, folder: string): Promise<Outcome> {
  const scene = openScene('run of the service', plan);
  const { world, chance, history, has, violate, count, onLog } = scene;
  const falls = chance.pick(['both', 'gateway', 'service']);
  const befalls = (which: 'gateway' | 'service') => (feature: Feature) =>
    has(feature) && (falls === 'both' || falls === which || !ofOneMachine.includes(feature));
  const tell = (what: string) => history.tell('service', what);

  const drawn = simulatedConfig(join(folder, 'gateway.db'), plan);
  const keys = await freshFiles(
    folder,
    drawn.merchants.map(({ id }) => id),
    start,
  );
  const config = {
    ...drawn,
    merchants: drawn.merchants.map((one) => ({ ...one, key: keys.get(one.id) ?? '' })),
  };
  let healed = false;

  const post = openPost({
    world,
    chance,
    has,
    tell,
    count,
    machine: { request: (url, init) => machine.request(url, init) },
  });
  const railChance = chance.fork('rail');
  const losesAnswers = railChance.pick([0, 0, 0.2]);
  const host = openHost({
    world,
    chance,
    has: befalls('service'),
    tell,
    count,
    violate,
    onLog,
    config: {
      databaseFile: join(folder, 'service.db'),
      adminToken,
      rail: { acceptMs: railChance.pick([0, 0, 700, 8_000, 13_500]) },
      limits: {
        prompts: railChance.pick([
          { burst: 10, perMinute: 1 },
          { burst: 1, perMinute: 1 },
        ]),
      },
    },
    send: post.send,
    wrapRail: (rail) => ({
      round: rail.round,
      async push(order, signal) {
        const answer = await rail.push(order, signal);
        if (!healed && railChance.happens(losesAnswers)) throw new Error('the answer of the rail was lost');
        return answer;
      },
    }),
  });
  const claims = openClaims({ violate });
  const book = openBook({ connection: host.connection, commits: host.disk.commits });

  /** The service's answer to a call; nothing where it is away, or falls meanwhile. */
  async function answer(call: CallSeen): Promise<OracleAnswer | undefined> {
    const { method, path, headers, body } = call;
    // No request is on its way for longer than the gateway waits before it says that nobody was asked.
    if (world.now() - call.at >= lostRequestMs) return undefined;
    const init = method === 'GET' ? { method, headers } : { method, headers, body };
    const answered = await host.use(async ({ app }) => {
      const response = await app.request(`http://service.test${path}`, init);
      return {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        body: await response.text(),
      };
    });
    if (answered) claims.hear(call, answered);
    return answered;
  }

  const network = openNetwork({
    world,
    chance,
    has,
    answer,
    count,
    tell: (what) => history.tell('network', what),
    onCall(call) {
      count(`call ${call.kind}`);
      pace.onCall(call);
      const file = machine.connection();
      if (file) checks.onCall(file, call);
    },
    onDone: (call, answered) => pace.onDone(call, answered),
  });
  const machine = openMachine({
    world,
    chance,
    has: befalls('gateway'),
    config,
    network,
    count,
    tell: (what) => history.tell('gateway', what),
    violate,
    onLog,
    onUp() {
      pace.reset();
      const file = machine?.connection();
      if (file) checks.afterStart(file);
    },
  });
  const phones = openPhones({
    world,
    chance,
    host,
    book,
    claims,
    payerOf: (number) => people.payers.find(({ msisdn }) => msisdn === number),
    tell: (what) => history.tell('phones', what),
  });
  const peer = {
    get sessions() {
      return book.sessions();
    },
    sessionsOf: (key: string) => book.sessionsOf(key),
    acknowledged: post.acknowledged,
    // What the service refuses, and why, is its own tests' business.
    hasSaid: () => true,
  };
  const checks = openChecks({ oracle: peer, violate, has, timings: config.timings });
  const peerChecks = openPeerChecks({
    book,
    claims,
    acknowledged: post.acknowledged,
    violate,
    has,
    mostAttempts,
  });
  const pace = openPace({ now: world.now, has, violate, service: config.service });
  const aggregator = openAggregator({ world, chance, has, config, machine, tell: history.tell, violate });
  const people = openPeople(scene, config, aggregator, phones);
  const look = (who: string) => readBooks(scene, config.database.file, who);

  /** Work that the service has left: open sessions, results, deliveries. */
  function workOfService(): number {
    const work = host
      .connection()
      ?.prepare(
        `SELECT (SELECT count(*) FROM payment_session WHERE expires_at IS NOT NULL)
           + (SELECT count(*) FROM prompt WHERE reported_at IS NULL)
           + (SELECT count(*) FROM event WHERE state = 'waiting') AS n`,
      )
      .get() as { n: number } | undefined;
    return work?.n ?? 1;
  }
  const isQuiet = () => workLeft(machine.connection()) + workOfService() === 0;

  let seen = { gateway: -1, service: -1 };
  const step = () => {
    const now = { gateway: machine.disk.commits(), service: host.disk.commits() };
    host.step();
    if (now.service !== seen.service && host.isUp()) {
      phones.step();
      peerChecks.step();
    }
    const file = machine.connection();
    if (file && now.gateway !== seen.gateway) checks.step(file);
    seen = now;
    scene.stopIfBroken();
  };

  /** Lets time pass until then, with a look at all books after each hour. */
  async function pass(until: number): Promise<void> {
    while (world.now() < until) {
      await world.run(Math.min(until, world.now() + hour), step);
      const file = machine.connection();
      if (file) checks.afterStart(file);
      if (host.isUp()) peerChecks.look();
      await look('support');
      step();
    }
  }

  await scene.play(async () => {
    machine.start();
    host.start();
    people.begin();
    await pass(start + plan.hours * hour);
    healed = true;
    for (const part of [host, post, network, machine, aggregator]) part.heal();
    history.tell('world', 'is healed');
    do await pass(world.now() + hour);
    while (!isQuiet() && world.now() < start + (plan.hours + settleHours) * hour);
    await pass(world.now() + 2 * minute);
    const [gateway, service] = [machine.connection(), host.connection()];
    if (gateway && service) {
      checks.afterStart(gateway);
      checks.quiet(gateway, people.payers);
      peerChecks.quiet({ gateway, service });
      tally(scene, gateway, book.sessions().values());
    } else violate('liveness', 'a program is not up');
    await Promise.all([machine.stop(), host.stop()]);
    await look('audit');
  });
  machine.disk.drop(false);
  host.disk.drop(false);
  return scene.outcome();
}
