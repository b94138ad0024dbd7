import type { FileConfig } from '../../src/gateway/config/schema.ts';
import { createSqliteReader } from '../../src/sqlite/sqlite.ts';
import { createAggregator } from './aggregator.ts';
import { createBlockages } from './blockages.ts';
import { type Announced, type CheckDeps, createChecks } from './check.ts';
import { statementFaults } from './check-statement.ts';
import { keyOf, neighbours } from './config.ts';
import { useConfirmation } from './confirmation.ts';
import type { Feature } from './features.ts';
import { createFloodingMerchant } from './flooding-merchant.ts';
import { createGatewayStaff } from './gateway-staff.ts';
import { createMachine, type Host, type MachineDeps } from './machine.ts';
import { createMerchantSystems } from './merchant-systems.ts';
import { type CallSeen, createNetwork, type NetworkDeps } from './network.ts';
import type { Prompt } from './oracle/session.ts';
import { createPace } from './pace.ts';
import type { PayerDeps } from './payer.ts';
import { createPeople, minute, type Scene, tally, verifyBooks, workLeft } from './scene.ts';
import { createScreens } from './screens.ts';
import { findExceeded, type SeveralLimits } from './several/limits.ts';
import { createTimeliness } from './timeliness.ts';

export type GatewaySideDeps = {
  scene: Scene;
  config: FileConfig;
  /** The service that answers the gateway: its records and its phones. */
  peer: CheckDeps['oracle'] & PayerDeps['oracle'];
  answer: NetworkDeps['answer'];
  /** Whether a fault may occur on the gateway's machine. */
  hasFault(feature: Feature): boolean;
  /** Called when a call leaves the gateway. */
  onCall(call: CallSeen): void;
  /** Creates several gateways instead of one machine. */
  several?: SeveralGateways;
  /** Watches what the gateway reads and writes. */
  watchStore?: MachineDeps['watchStore'];
};

export type SeveralGateways = {
  gateways: number;
  /** Their configured limits, so low that they are reached. */
  limits: SeveralLimits;
  promptDelaysSeconds: [number, ...number[]];
  callsPerSecond: [number, ...number[]];
  create(deps: MachineDeps): Host;
};

/**
 * Creates the gateway on its machine, with its network, aggregators and payers, and with the checks of its
 * invariants.
 */
export function createGatewaySide(deps: GatewaySideDeps) {
  const { scene, config, peer, answer, hasFault, onCall, several } = deps;
  const { scheduler, history, has, violate, count } = scene;
  const { timings } = config;
  const { now } = scheduler;
  const blockages = createBlockages({
    ...scene,
    record: (what) => history.record('parties', what),
  });
  const network = createNetwork({
    ...scene,
    pass: blockages.pass,
    async answer(call) {
      const answered = await answer(call);
      await flood.answers(call);
      return answered;
    },
    record: (what) => history.record('network', what),
    onCall(call) {
      count(`call ${call.kind}`);
      pace.onCall(call);
      flood.onCall(call);
      onCall(call);
      const file = machine.connection();
      if (file) checks.onCall(file, call);
    },
    onDone(call, answered) {
      pace.onDone(call, answered);
      flood.onDone(call);
    },
  });
  const systems = createMerchantSystems({
    scene,
    merchants: config.merchants.map(({ id }) => id),
    request: (url, init) => machine.request(url, init),
    connection: () => machine.connection(),
  });
  const machine: Host = (several?.create ?? createMachine)({
    ...scene,
    has: hasFault,
    config,
    network,
    notifyFetch: systems.fetch,
    passDatabase: () => blockages.pass('database'),
    record: (what) => history.record('gateway', what),
    watchStore: deps.watchStore,
    onUp() {
      pace.reset();
      flood.reset();
      checkAfterStart();
    },
  });
  const screens = createScreens(scheduler);
  const mayFindStale = has('clock_skew') || has('clock_jumps');
  const timeliness = createTimeliness({ ...scene, timings, screensOf: screens.of, machine });
  const { secondPersonAboveMinor } = config.decisions;
  const checks = createChecks({
    ...{ oracle: peer, violate, timings, timeliness, mayFindStale, secondPersonAboveMinor },
  });
  const pace = createPace({
    ...{ ...scene, service: config.service, gateways: several?.gateways ?? 1 },
    isDisturbedSince: (at) => several !== undefined && machine.wasDisturbedSince(at),
  });
  const aggregator = createAggregator({ ...scene, config, machine, screens, record: history.record });
  /** Sessions that showed a prompt announcement and whose collections were not checked yet. */
  let announced: Announced[] = [];
  const people = createPeople(scene, config, {
    aggregator,
    oracle: peer,
    passPayer: () => blockages.pass('payer'),
    onAnnounced: (one) => announced.push(one),
  });
  const staff = createGatewayStaff({
    scene,
    merchants: config.merchants.map(({ id }) => id),
    oracle: peer,
    request: (url, init) => machine.request(url, init),
    sessionOf(collectionId) {
      const found = machine.connection()?.prepare('SELECT session_id FROM collection WHERE id = ?').pluck();
      return (found?.get(collectionId) ?? undefined) as string | undefined;
    },
  });
  const flood = createFloodingMerchant({
    ...{ scene, merchants: neighbours, keyOf, machine },
    gather: people.flood,
  });
  const books = { file: config.database.file, hasTriggers: several === undefined };
  let seen = -1;

  /** Checks that everything written and acknowledged earlier is present. */
  function checkAfterStart(): void {
    const file = machine?.connection();
    if (file) checks.afterStart(file);
  }

  return {
    /** Sends a request of the service to the gateway. */
    async request(url: string, init: RequestInit): Promise<Response | undefined> {
      await blockages.pass('webhook');
      const answer = await machine.request(url, init);
      if (answer?.status === 200) pace.onEvent(url, String(init.body));
      return answer;
    },
    /** Matches a prompt to a confirmation and shows it to its payer. */
    onPrompt(prompt: Prompt): void {
      const asked = peer.sessions.get(prompt.sessionId);
      if (asked) useConfirmation(asked, people.payers, violate);
      people.payers.find(({ msisdn }) => msisdn === prompt.msisdn)?.onPrompt(prompt);
    },
    begin(): void {
      machine.start();
      people.begin();
      staff.begin();
      systems.begin();
      flood.begin();
    },
    heal(): void {
      for (const part of [blockages, network, machine, aggregator, systems, flood]) part.heal();
    },
    /** Checks the invariants that hold after every step. */
    step(): void {
      const file = machine.connection();
      if (file && announced.length > 0) {
        checks.announced(file, announced);
        announced = [];
      }
      const commits = machine.commits();
      if (file && commits !== seen) checks.step(file);
      if (file) flood.step(file);
      if (file) seen = commits;
    },
    checkAfterStart,
    /** Verifies the ledger with a second connection, also while the gateway writes. */
    verify: (who: string) => verifyBooks(scene, books, who),
    isSettled: () => workLeft(machine.connection()) === 0 && !people.isVisiting(),
    /** Checks the invariants that hold when no work is left, and counts the results. */
    settle(): void {
      const file = machine.connection();
      if (file) {
        checks.afterStart(file);
        checks.quiet(file, people.payers);
        staff.check(file);
        systems.check(file);
        for (const fault of several ? findExceeded(file, several.limits) : []) violate('limit', fault);
        tally(scene, file, peer.sessions.values());
      } else violate('liveness', 'the gateway is not running');
    },
    connection: machine.connection,
    /** Stops the process in order within a minute and verifies the ledger that it leaves. */
    async end(): Promise<void> {
      let isStopped = false;
      void machine.stop().then(() => {
        isStopped = true;
      });
      await scheduler.run(now() + minute, scene.stopIfBroken);
      if (!isStopped) violate('liveness', 'the gateway did not stop within a minute');
      await verifyBooks(scene, books, 'audit');
      const reader = createSqliteReader(books.file);
      const merchants = config.merchants.map(({ id }) => id);
      const records = { sessions: peer.sessions.values(), merchants, count };
      for (const fault of await statementFaults(reader, records)) violate('statement', fault);
      await reader.close();
    },
    /** Closes the files. */
    close: machine.close,
  };
}
