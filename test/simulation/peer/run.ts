import { join } from 'node:path';
import { simulatedConfig } from '../config.ts';
import type { Feature } from '../features.ts';
import { openGatewaySide } from '../gateway-side.ts';
import { drawPlan, inFolder, playOut } from '../phases.ts';
import { hour, type Outcome, openScene, type Plan, start } from '../scene.ts';
import { pickPeerFeatures } from './features.ts';
import { freshFiles } from './files.ts';
import { openServiceSide } from './service-side.ts';

/*
 * The simulation with the project's own service in the oracle's place: both programs are real, each on a machine of its
 * own. What the oracle does on purpose it does not do; what befalls machines, networks and rails befalls it as well.
 */

/** Faults of one machine; they befall the gateway's, the service's, or both, as the seed says. */
const ofOneMachine: readonly Feature[] = ['crashes', 'power_cuts', 'disk_full', 'disk_fails'];

export const planOf = (seed: number, days: number): Plan =>
  drawPlan('plan of the service', pickPeerFeatures, seed, days);

/** Plays one plan to its end: first with its faults, then without, until all is quiet. */
export const run = (plan: Plan): Promise<Outcome> => inFolder('peer', (folder) => play(plan, folder));

async function play(plan: Plan, folder: string): Promise<Outcome> {
  const scene = openScene('run of the service', plan);
  const { world, chance, has, violate } = scene;
  const falls = chance.pick(['both', 'gateway', 'service']);
  const befalls = (which: 'gateway' | 'service') => (feature: Feature) =>
    has(feature) && (falls === 'both' || falls === which || !ofOneMachine.includes(feature));

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
  const service = openServiceSide({
    scene,
    merchants,
    databaseFile: join(folder, 'service.db'),
    befalls: befalls('service'),
    deliver: (url, init) => gateway.request(url, init),
    onPrompt: (prompt) => gateway.onPrompt(prompt),
  });
  const gateway = openGatewaySide({
    scene,
    config,
    peer: service.peer,
    answer: service.answer,
    befalls: befalls('gateway'),
    onCall: service.onCall,
  });

  /** Both sides mean the same, so that nothing is left for a person; a clock that is wrong finds news stale. */
  function agree(): void {
    const doubtful = ['clock_jumps', 'clock_skew', 'wrong_amounts', 'late_money', 'second_charges'] as const;
    if (doubtful.some(has)) return;
    const rows = gateway
      .connection()
      ?.prepare("SELECT id, review FROM collection WHERE status = 'review' OR review IS NOT NULL")
      .all();
    for (const { id, review } of (rows ?? []) as { id: string; review: string | null }[])
      violate('I5', `a person must decide about ${id} (${review}), though nothing contradicts`);
  }

  const step = () => {
    service.step();
    gateway.step();
    scene.stopIfBroken();
  };
  const isQuiet = () => gateway.isQuiet() && service.isQuiet();

  await playOut(scene, {
    begin() {
      gateway.begin();
      service.begin();
    },
    /** With a look at all books after each hour. */
    async pass(until) {
      while (world.now() < until) {
        await world.run(Math.min(until, world.now() + hour), step);
        gateway.lookBack();
        service.look();
        await gateway.read('support');
        step();
      }
    },
    heal() {
      service.heal();
      gateway.heal();
    },
    isQuiet,
    settle() {
      service.settle();
      gateway.settle();
      agree();
      if (!isQuiet()) violate('liveness', 'there is work left, and nobody does it');
    },
    async end() {
      await Promise.all([gateway.end(), service.end()]);
    },
  });
  gateway.close();
  service.close();
  return scene.outcome();
}
