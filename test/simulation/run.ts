import { merchantKeys, simulatedConfig } from './config.ts';
import { pickFeatures } from './features.ts';
import { freshFile } from './files.ts';
import { createGatewaySide, type GatewaySideDeps } from './gateway-side.ts';
import { createOracle } from './oracle/oracle.ts';
import { drawPlan, inFolder, type OnLedger, playOut } from './phases.ts';
import { createScene, hour, minute, type Outcome, type Plan, second } from './scene.ts';

export const planOf = (seed: number, days: number): Plan => drawPlan('plan', pickFeatures, seed, days);

/** Plays a plan to its end: first with faults, then without, until no work is left. */
export const run = (plan: Plan, onLedger?: OnLedger): Promise<Outcome> =>
  inFolder('run', (folder) => play(plan, folder), onLedger);

/** @param around several gateways instead of one, or a watched store. */
export async function play(
  plan: Plan,
  folder: string,
  around: Pick<GatewaySideDeps, 'several' | 'watchStore'> = {},
): Promise<Outcome> {
  const scene = createScene('run', plan);
  const { scheduler, random, history, has, count } = scene;
  const config = simulatedConfig(await freshFile(folder), plan, around.several);

  const oracle = createOracle({
    ...scene,
    merchants: merchantKeys,
    record: (what) => history.record('service', what),
    onPrompt: (prompt) => gateway.onPrompt(prompt),
    async post(merchant, headers, body) {
      await scheduler.sleep(random.int(5, 300));
      const over = new AbortController();
      const answer = await Promise.race([
        gateway.request(`http://gateway.test/webhooks/${merchant}`, { method: 'POST', headers, body }),
        scheduler.sleep(12 * second, over.signal),
      ]);
      over.abort();
      history.record('service', `delivers ${headers['service-event-id']}: ${answer?.status ?? 'no answer'}`);
      if (answer?.status === 200) count('acknowledged');
      return answer?.status;
    },
  });
  const gateway = createGatewaySide({
    scene,
    config,
    peer: oracle,
    answer: oracle.answer,
    hasFault: has,
    onCall() {},
    ...around,
  });

  await playOut(scene, {
    begin() {
      gateway.begin();
      const staff = random.fork('staff');
      for (let looks = staff.int(1, 4); looks > 0; looks--)
        scheduler.after(staff.int(0, plan.hours * hour), () => void gateway.verify('support'));
    },
    pass: (until) =>
      scheduler.run(until, () => {
        gateway.step();
        scene.stopIfBroken();
      }),
    heal() {
      oracle.heal();
      gateway.heal();
    },
    isSettled: () => gateway.isSettled() && oracle.pendingCount() === 0,
    settle: gateway.settle,
    settleStepMs: around.several ? 10 * minute : hour,
    end: gateway.end,
  });
  gateway.close();
  return scene.outcome();
}
