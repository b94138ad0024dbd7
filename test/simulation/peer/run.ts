import { join } from 'node:path';
import { simulatedConfig } from '../config.ts';
import { type Feature, pickPeerFeatures } from '../features.ts';
import { createGatewaySide } from '../gateway-side.ts';
import { drawPlan, inFolder, type OnLedger, playOut } from '../phases.ts';
import { createScene, hour, type Outcome, type Plan, start } from '../scene.ts';
import { decisionFaults } from './check-decisions.ts';
import { freshFiles } from './files.ts';
import { createServiceSide } from './service-side.ts';

/*
 * The simulation with the project's own service as peer: both programs are real, each on its own machine.
 * Difficult service behaviour is absent; faults of machines, networks and rails occur on both sides.
 */

/** Faults of a single machine. The seed selects whether the gateway's, the service's or both have them. */
const ofOneMachine: readonly Feature[] = ['crashes', 'power_cuts', 'disk_full', 'disk_fails'];

export const planOf = (seed: number, days: number): Plan =>
  drawPlan('plan of the service', pickPeerFeatures, seed, days);

/** Plays a plan to its end: first with faults, then without, until no work is left. */
export const run = (plan: Plan, onLedger?: OnLedger): Promise<Outcome> =>
  inFolder('peer', (folder) => play(plan, folder), onLedger);

async function play(plan: Plan, folder: string): Promise<Outcome> {
  const scene = createScene('run of the service', plan);
  const { scheduler, random, has, violate } = scene;
  const affected = random.pick(['both', 'gateway', 'service']);
  const hasFault = (which: 'gateway' | 'service') => (feature: Feature) =>
    has(feature) && (affected === 'both' || affected === which || !ofOneMachine.includes(feature));

  const drawn = simulatedConfig(join(folder, 'gateway.db'), plan);
  const merchants = await freshFiles(
    folder,
    drawn.merchants.map(({ id }) => id),
    start,
  );
  const config = {
    ...drawn,
    merchants: drawn.merchants.map((one) => ({ ...one, key: merchants.keys.get(one.id) ?? '' })),
  };
  const service = createServiceSide({
    scene,
    merchants,
    databaseFile: join(folder, 'service.db'),
    hasFault: hasFault('service'),
    deliver: (url, init) => gateway.request(url, init),
    onPrompt: (prompt) => gateway.onPrompt(prompt),
  });
  const gateway = createGatewaySide({
    scene,
    config,
    peer: service.peer,
    answer: service.answer,
    hasFault: hasFault('gateway'),
    onCall: service.onCall,
  });

  /** Checks that no collection needs a person when nothing contradicts. With a wrong clock events can be stale. */
  function agree(): void {
    const doubtful = ['clock_jumps', 'clock_skew', 'wrong_amounts', 'late_money', 'second_charges'] as const;
    if (doubtful.some(has)) return;
    const rows = gateway
      .connection()
      ?.prepare(
        "SELECT id, review FROM collection WHERE (status = 'review' OR review IS NOT NULL) AND review IS NOT 'unplaced_decided'",
      )
      .all();
    for (const { id, review } of (rows ?? []) as { id: string; review: string | null }[])
      violate('I5', `${id} needs a person (${review}) without a contradiction`);
  }

  /** Checks that the gateway followed the decisions of the people at the service. */
  function followDecisions(): void {
    const file = gateway.connection();
    for (const fault of file ? decisionFaults(file, service.records) : [])
      violate('service decisions', fault);
  }

  const step = () => {
    service.step();
    gateway.step();
    scene.stopIfBroken();
  };
  const isSettled = () => gateway.isSettled() && service.isSettled();

  await playOut(scene, {
    begin() {
      gateway.begin();
      service.begin();
    },
    /** Checks all records after each hour. */
    async pass(until) {
      while (scheduler.now() < until) {
        await scheduler.run(Math.min(until, scheduler.now() + hour), step);
        gateway.checkAfterStart();
        service.look();
        await gateway.verify('support');
        step();
      }
    },
    heal() {
      service.heal();
      gateway.heal();
    },
    isSettled,
    settle() {
      service.settle();
      gateway.settle();
      agree();
      followDecisions();
      if (!isSettled()) violate('liveness', 'work is left at the end');
    },
    async end() {
      await Promise.all([gateway.end(), service.end()]);
    },
  });
  gateway.close();
  service.close();
  return scene.outcome();
}
