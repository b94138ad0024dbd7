import { maxRequestDelayMs } from '../../../src/gateway/collection/decide/decision.ts';
import { createFaults } from '../faults.ts';
import type { Feature } from '../features.ts';
import type { GatewaySideDeps } from '../gateway-side.ts';
import type { Host } from '../machine.ts';
import type { CallSeen } from '../network.ts';
import type { OracleAnswer } from '../oracle/answer.ts';
import type { Prompt } from '../oracle/session.ts';
import type { Scene } from '../scene.ts';
import { createPeerChecks } from './check.ts';
import { createClaims, createPushChecks } from './claims.ts';
import { adminToken, type Merchants } from './files.ts';
import { createHost } from './host.ts';
import { createMerchantStaff } from './merchant-staff.ts';
import { createOutsideRail } from './outside-rail.ts';
import { longStopMs, type RailSide } from './rail.ts';
import { createServiceRecords, oracleOf } from './service-records.ts';
import { createSimulatedRail } from './simulated-rail.ts';
import { createStaff } from './staff.ts';
import { createWebhookNetwork } from './webhook-network.ts';

export type ServiceSideDeps = {
  scene: Scene;
  merchants: Merchants;
  databaseFile: string;
  /** Whether a fault may occur on the service's machine. */
  hasFault(feature: Feature): boolean;
  /** Delivers a webhook to the gateway. */
  deliver: Host['request'];
  onPrompt(prompt: Prompt): void;
};

/** Creates the service on its machine, with its rail, webhooks and staff, and with the checks of its guarantees. */
export function createServiceSide({ scene, merchants, databaseFile, hasFault, ...deps }: ServiceSideDeps) {
  const { deliver, onPrompt } = deps;
  const { scheduler, random, history, has, violate, count } = scene;
  const record = (what: string) => history.record('service', what);
  const pushes = createPushChecks({ violate });
  const claims = createClaims({ ...scene, pushes: pushes.of });
  const records = createServiceRecords({
    connection: () => host.connection(),
    commits: () => host.disk.commits(),
  });
  const ownerOf = (sessionId: string) =>
    merchants.names.get(records.sessions().get(sessionId)?.merchant_id ?? '');
  const webhooks = createWebhookNetwork({ ...scene, record, ownerOf, machine: { request: deliver } });
  const { acknowledged } = webhooks;
  const host = createHost({
    ...scene,
    has: hasFault,
    record,
    onCommit: () => checks.step(),
    config: {
      databaseFile,
      adminToken,
      rail: { acceptDelayMs: random.pick([0, 0, 700, 8_000, 13_500]) },
      session: { longStopMs },
      limits: {
        prompts: random.pick([
          { burst: 10, perMinute: 1 },
          { burst: 1, perMinute: 1 },
        ]),
      },
    },
    send: webhooks.send,
    wrapRail: (own, report) => pushes.watch(rail.attach(own, report)),
  });
  const ofRail = random.fork('rail');
  const recordOfRail = (what: string) => history.record('rail', what);
  const railDeps = { ...scene, random: ofRail, host, onPrompt, record: recordOfRail };
  const isOwn = random.happens(0.5);
  count(isOwn ? 'with the simulated rail' : 'with an external rail');
  const rail: RailSide = isOwn
    ? createSimulatedRail({ ...railDeps, records, claims })
    : createOutsideRail({ ...railDeps, faults: createFaults({ random: ofRail, has, count }) });
  const staff = createStaff({ ...scene, host, records, record });
  const ofMerchants = { host, records, claims, keys: merchants.keys, ownerOf, acknowledged, record };
  const merchantStaff = createMerchantStaff({ ...scene, ...ofMerchants });
  const checks = createPeerChecks({
    now: scheduler.now,
    records,
    rail: rail.records,
    claims,
    decisions: staff.decisions,
    acknowledged,
    wellSince: () => Math.max(host.wellSince(), rail.wellSince()),
    violate,
  });
  const oracle = oracleOf(records, rail.records, merchants.names);
  const peer: GatewaySideDeps['peer'] = {
    get sessions() {
      return oracle.sessions;
    },
    sessionsOf: oracle.sessionsOf,
    acknowledged,
    // Whether a rejection is correct is checked by the service's own tests.
    hasGivenReason: () => true,
    // A poll returns the status of the records, which contain every status that a session had.
    hasPolledEnd: (id, status) =>
      oracle.sessions.get(id)?.states.some(({ state }) => state === status) === true,
    hasForgedPaid: () => false,
    approve: rail.approve,
    decline: rail.decline,
  };
  let seen = -1;

  return {
    records,
    peer,
    onCall: pushes.onCall,
    /** Resolves with the service's response, or `undefined` when the service is down or ends meanwhile. */
    async answer(call: CallSeen): Promise<OracleAnswer | undefined> {
      const { method, path, headers, body } = call;
      // No request arrives later than the time after which the gateway may report that no prompt was sent.
      if (scheduler.now() - call.at >= maxRequestDelayMs) return undefined;
      const init = method === 'GET' ? { method, headers } : { method, headers, body };
      const whileAlive = claims.watch(call);
      const answered = await host.use(async ({ app }) => {
        const response = await app.request(`http://service.test${path}`, init);
        return {
          status: response.status,
          headers: Object.fromEntries(response.headers),
          body: await response.text(),
        };
      });
      if (answered) whileAlive(answered);
      return answered;
    },
    begin: host.start,
    heal(): void {
      for (const part of [host, webhooks, rail, merchantStaff]) part.heal();
    },
    /** Checks what must hold after every step. */
    step(): void {
      if (!host.isUp() || host.disk.commits() === seen) return;
      seen = host.disk.commits();
      rail.step();
      staff.step();
      checks.step();
    },
    look(): void {
      if (host.isUp()) checks.look();
    },
    /** Whether no session is open and no result, event or decision waits. */
    isSettled(): boolean {
      const work = host
        .connection()
        ?.prepare(
          `SELECT (SELECT count(*) FROM payment_session WHERE closed_at IS NULL)
             + (SELECT count(*) FROM event WHERE state = 'waiting') AS n`,
        )
        .get() as { n: number } | undefined;
      return work !== undefined && work.n + rail.pendingCount() + staff.pendingCount() === 0;
    },
    /** Checks the final state. */
    settle(): void {
      if (host.isUp()) checks.quiet();
      else violate('liveness', 'the service is not running');
    },
    end: host.stop,
    close: () => host.disk.drop(false),
  };
}
