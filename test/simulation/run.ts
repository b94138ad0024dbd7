import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openAggregator } from './aggregator.ts';
import { chanceOf } from './chance.ts';
import { openChecks } from './check.ts';
import { merchantKeys, simulatedConfig } from './config.ts';
import { takeConsent } from './consent.ts';
import { pickFeatures } from './features.ts';
import { freshFile, scratch } from './files.ts';
import { openMachine } from './machine.ts';
import { openNetwork } from './network.ts';
import { openOracle } from './oracle/oracle.ts';
import { openPace } from './pace.ts';
import {
  hour,
  minute,
  mostPayers,
  type Outcome,
  openPeople,
  openScene,
  type Plan,
  readBooks,
  second,
  settleHours,
  start,
  tally,
  workLeft,
} from './scene.ts';

export function planOf(seed: number, days: number): Plan {
  const chance = chanceOf(`plan ${seed}`);
  return {
    seed,
    hours: Math.max(1, Math.round(24 * days)),
    features: pickFeatures(chance),
    payers: chance.int(1, mostPayers),
    visits: chance.int(3, 16),
  };
}

/** Plays one plan to its end: first with its faults, then without, until all is quiet. */
export async function run(plan: Plan): Promise<Outcome> {
  const folder = mkdtempSync(join(scratch(), 'run-'));
  try {
    return await play(plan, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function play(plan: Plan, folder: string): Promise<Outcome> {
  const scene = openScene('run', plan);
  const { world, chance, history, has, violate, count, onLog } = scene;
  const config = simulatedConfig(await freshFile(folder), plan);

  const oracle = openOracle({
    world,
    chance,
    has,
    merchants: merchantKeys,
    tell: (what) => history.tell('service', what),
    count,
    violate,
    onPrompt(prompt) {
      const asked = oracle.sessions.get(prompt.sessionId);
      if (asked) takeConsent(asked, people.payers, violate);
      people.payers.find(({ msisdn }) => msisdn === prompt.msisdn)?.onPrompt(prompt);
    },
    async post(merchant, headers, body) {
      await world.sleep(chance.int(5, 300));
      const over = new AbortController();
      const answer = await Promise.race([
        machine.request(`http://gateway.test/webhooks/${merchant}`, { method: 'POST', headers, body }),
        world.sleep(12 * second, over.signal),
      ]);
      over.abort();
      history.tell('service', `delivers ${headers['service-event-id']}: ${answer?.status ?? 'no answer'}`);
      if (answer?.status === 200) count('acknowledged');
      return answer?.status;
    },
  });
  const network = openNetwork({
    world,
    chance,
    has,
    answer: oracle.answer,
    count,
    tell: (what) => history.tell('network', what),
    onCall(call) {
      count(`call ${call.kind}`);
      pace.onCall(call);
      const file = machine.connection();
      if (file) checks.onCall(file, call);
    },
    onDone: (call, answer) => pace.onDone(call, answer),
  });
  const machine = openMachine({
    world,
    chance,
    has,
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
  const checks = openChecks({ oracle, violate, has, timings: config.timings });
  const pace = openPace({ now: world.now, has, violate, service: config.service });
  const aggregator = openAggregator({ world, chance, has, config, machine, tell: history.tell, violate });
  const people = openPeople(scene, config, aggregator, oracle);
  const look = (who: string) => readBooks(scene, config.database.file, who);

  let seen = -1;
  const step = () => {
    const file = machine.connection();
    if (file && machine.disk.commits() !== seen) {
      seen = machine.disk.commits();
      checks.step(file);
    }
    scene.stopIfBroken();
  };
  const isQuiet = () => workLeft(machine.connection()) === 0 && oracle.owes() === 0;

  await scene.play(async () => {
    machine.start();
    people.begin();
    const staff = chance.fork('staff');
    for (let looks = staff.int(1, 4); looks > 0; looks--)
      world.after(staff.int(0, plan.hours * hour), () => void look('support'));
    await world.run(start + plan.hours * hour, step);
    for (const part of [oracle, network, machine, aggregator]) part.heal();
    history.tell('world', 'is healed');
    do await world.run(world.now() + hour, step);
    while (!isQuiet() && world.now() < start + (plan.hours + settleHours) * hour);
    // A machine that fell at the very end is a minute away at most.
    await world.run(world.now() + 2 * minute, step);
    const file = machine.connection();
    if (file) {
      checks.afterStart(file);
      checks.quiet(file, people.payers);
      tally(scene, file, oracle.sessions.values());
    } else violate('liveness', 'the gateway is not up');
    let isStopped = false;
    void machine.stop().then(() => {
      isStopped = true;
    });
    await world.run(world.now() + minute, scene.stopIfBroken);
    if (!isStopped) violate('liveness', 'the gateway does not stop');
    await look('audit');
  });
  machine.disk.drop(false);
  return scene.outcome();
}
