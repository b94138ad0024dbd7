import type { Config } from '../../src/gateway/config/schema.ts';
import { openAggregator } from './aggregator.ts';
import { type Announced, type CheckDeps, openChecks } from './check.ts';
import { createClogs } from './clogs.ts';
import { takeConsent } from './consent.ts';
import type { Feature } from './features.ts';
import { openMachine } from './machine.ts';
import { type CallSeen, type NetworkDeps, openNetwork } from './network.ts';
import type { Prompt } from './oracle/session.ts';
import { openPace } from './pace.ts';
import type { PayerDeps } from './payer.ts';
import { minute, openPeople, readBooks, type Scene, tally, workLeft } from './scene.ts';
import { openScreens } from './screens.ts';
import { openTimeliness } from './timeliness.ts';

export type GatewaySideDeps = {
  scene: Scene;
  config: Config;
  /** Whoever takes the gateway's calls and asks the payers: its book, and its phones. */
  peer: CheckDeps['oracle'] & PayerDeps['oracle'];
  answer: NetworkDeps['answer'];
  /** Whether a fault may befall the gateway's machine. */
  befalls(feature: Feature): boolean;
  /** A call leaves the gateway. */
  onCall(call: CallSeen): void;
};

/** The gateway on its machine, with the network, the aggregators and the payers around it, and what is asked of it. */
export function openGatewaySide({ scene, config, peer, answer, befalls, onCall }: GatewaySideDeps) {
  const { world, chance, history, has, violate, count, onLog } = scene;
  const { timings } = config;
  const { now } = world;
  const clogs = createClogs({ world, chance, has, count, tell: (what) => history.tell('world', what) });
  const network = openNetwork({
    world,
    chance,
    has,
    pass: clogs.pass,
    answer,
    count,
    tell: (what) => history.tell('network', what),
    onCall(call) {
      count(`call ${call.kind}`);
      pace.onCall(call);
      onCall(call);
      const file = machine.connection();
      if (file) checks.onCall(file, call);
    },
    onDone: (call, answered) => pace.onDone(call, answered),
  });
  const machine = openMachine({
    world,
    chance,
    has: befalls,
    config,
    network,
    passDatabase: () => clogs.pass('database'),
    count,
    tell: (what) => history.tell('gateway', what),
    violate,
    onLog,
    onUp() {
      pace.reset();
      lookBack();
    },
  });
  const screens = openScreens(world);
  const mayFindStale = has('clock_skew') || has('clock_jumps');
  const timeliness = openTimeliness({ now, has, count, violate, timings, screensOf: screens.of, machine });
  const checks = openChecks({ oracle: peer, violate, timings, timeliness, mayFindStale });
  const pace = openPace({ now, has, violate, service: config.service });
  const aggregator = openAggregator({
    world,
    chance,
    has,
    config,
    machine,
    screens,
    tell: history.tell,
    count,
    violate,
  });
  /** Sessions whose payers read that a prompt comes, and whose collections were not looked for yet. */
  let announced: Announced[] = [];
  const people = openPeople(scene, config, {
    aggregator,
    oracle: peer,
    passPayer: () => clogs.pass('payer'),
    onAnnounced: (one) => announced.push(one),
  });
  let seen = -1;

  /** What was written and acknowledged before is there. */
  function lookBack(): void {
    const file = machine?.connection();
    if (file) checks.afterStart(file);
  }

  return {
    /** A request of the service to the gateway. */
    async request(url: string, init: RequestInit): Promise<Response | undefined> {
      await clogs.pass('webhook');
      return machine.request(url, init);
    },
    /** A prompt lights up on a handset: a payer has agreed to it, and sees it. */
    onPrompt(prompt: Prompt): void {
      const asked = peer.sessions.get(prompt.sessionId);
      if (asked) takeConsent(asked, people.payers, violate);
      people.payers.find(({ msisdn }) => msisdn === prompt.msisdn)?.onPrompt(prompt);
    },
    begin(): void {
      machine.start();
      people.begin();
    },
    heal(): void {
      for (const part of [clogs, network, machine, aggregator]) part.heal();
    },
    /** What must hold whenever something has happened. */
    step(): void {
      const file = machine.connection();
      if (file && announced.length > 0) {
        checks.announced(file, announced);
        announced = [];
      }
      const commits = machine.disk.commits();
      if (file && commits !== seen) checks.step(file);
      if (file) seen = commits;
    },
    lookBack,
    /** Somebody reads the books, also while the gateway writes them. */
    read: (who: string) => readBooks(scene, config.database.file, who),
    isQuiet: () => workLeft(machine.connection()) === 0,
    /** What must hold once everything is quiet; counts what became of it all. */
    settle(): void {
      const file = machine.connection();
      if (file) {
        checks.afterStart(file);
        checks.quiet(file, people.payers);
        tally(scene, file, peer.sessions.values());
      } else violate('liveness', 'the gateway is not up');
    },
    connection: machine.connection,
    /** Ends the process in an orderly way, within a minute; an auditor reads what it leaves. */
    async end(): Promise<void> {
      let isStopped = false;
      void machine.stop().then(() => {
        isStopped = true;
      });
      await world.run(now() + minute, scene.stopIfBroken);
      if (!isStopped) violate('liveness', 'the gateway does not stop');
      await readBooks(scene, config.database.file, 'audit');
    },
    /** Lets go of its files. */
    close: () => machine.disk.drop(false),
  };
}
