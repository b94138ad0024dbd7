import { merchantKeys, simulatedConfig } from './config.ts';
import { pickFeatures } from './features.ts';
import { freshFile } from './files.ts';
import { openGatewaySide } from './gateway-side.ts';
import { openOracle } from './oracle/oracle.ts';
import { drawPlan, inFolder, playOut } from './phases.ts';
import { hour, type Outcome, openScene, type Plan, second } from './scene.ts';

export const planOf = (seed: number, days: number): Plan => drawPlan('plan', pickFeatures, seed, days);

/** Plays one plan to its end: first with its faults, then without, until all is quiet. */
export const run = (plan: Plan): Promise<Outcome> => inFolder('run', (folder) => play(plan, folder));

async function play(plan: Plan, folder: string): Promise<Outcome> {
  const scene = openScene('run', plan);
  const { world, chance, history, has, violate, count } = scene;
  const config = simulatedConfig(await freshFile(folder), plan);

  const oracle = openOracle({
    world,
    chance,
    has,
    merchants: merchantKeys,
    tell: (what) => history.tell('service', what),
    count,
    violate,
    onPrompt: (prompt) => gateway.onPrompt(prompt),
    async post(merchant, headers, body) {
      await world.sleep(chance.int(5, 300));
      const over = new AbortController();
      const answer = await Promise.race([
        gateway.request(`http://gateway.test/webhooks/${merchant}`, { method: 'POST', headers, body }),
        world.sleep(12 * second, over.signal),
      ]);
      over.abort();
      history.tell('service', `delivers ${headers['service-event-id']}: ${answer?.status ?? 'no answer'}`);
      if (answer?.status === 200) count('acknowledged');
      return answer?.status;
    },
  });
  const gateway = openGatewaySide({
    scene,
    config,
    peer: oracle,
    answer: oracle.answer,
    befalls: has,
    onCall() {},
  });

  await playOut(scene, {
    begin() {
      gateway.begin();
      const staff = chance.fork('staff');
      for (let looks = staff.int(1, 4); looks > 0; looks--)
        world.after(staff.int(0, plan.hours * hour), () => void gateway.read('support'));
    },
    pass: (until) =>
      world.run(until, () => {
        gateway.step();
        scene.stopIfBroken();
      }),
    heal() {
      oracle.heal();
      gateway.heal();
    },
    isQuiet: () => gateway.isQuiet() && oracle.owes() === 0,
    settle: gateway.settle,
    end: gateway.end,
  });
  gateway.close();
  return scene.outcome();
}
