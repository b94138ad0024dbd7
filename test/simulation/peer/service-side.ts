import { maxRequestDelayMs } from '../../../src/gateway/collection/decide/decision.ts';
import { openFaults } from '../faults.ts';
import type { Feature } from '../features.ts';
import type { GatewaySideDeps } from '../gateway-side.ts';
import type { Machine } from '../machine.ts';
import type { CallSeen } from '../network.ts';
import type { OracleAnswer } from '../oracle/answer.ts';
import type { Prompt } from '../oracle/session.ts';
import type { Scene } from '../scene.ts';
import { openBook, oracleOf } from './book.ts';
import { openPeerChecks } from './check.ts';
import { openClaims } from './claims.ts';
import { openClerk } from './clerk.ts';
import { adminToken, type Merchants } from './files.ts';
import { openHost } from './host.ts';
import { openOutsideRail } from './outside-rail.ts';
import { openPost } from './post.ts';
import { openPushes } from './pushes.ts';
import type { RailSide } from './rail.ts';
import { openSimulatedRail } from './simulated-rail.ts';
import { openStaff } from './staff.ts';

export type ServiceSideDeps = {
  scene: Scene;
  merchants: Merchants;
  databaseFile: string;
  /** Whether a fault may befall the service's machine. */
  befalls(feature: Feature): boolean;
  /** Brings a webhook to the gateway. */
  deliver: Machine['request'];
  onPrompt(prompt: Prompt): void;
};

/** The service on its machine, with its rail, the post and the people around it, and what is asked of it. */
export function openServiceSide({
  scene,
  merchants,
  databaseFile,
  befalls,
  deliver,
  onPrompt,
}: ServiceSideDeps) {
  const { world, chance, history, has, violate, count, onLog } = scene;
  const tell = (what: string) => history.tell('service', what);
  const pushes = openPushes({ violate });
  const claims = openClaims({ has, violate, pushes: pushes.of });
  const book = openBook({
    connection: () => host.connection(),
    commits: () => host.disk.commits(),
  });
  const ownerOf = (sessionId: string) =>
    merchants.names.get(book.sessions().get(sessionId)?.merchant_id ?? '');
  const post = openPost({ world, chance, has, tell, count, violate, ownerOf, machine: { request: deliver } });
  const { acknowledged } = post;
  const host = openHost({
    world,
    chance,
    has: befalls,
    tell,
    count,
    violate,
    onLog,
    onCommit: () => checks.step(),
    config: {
      databaseFile,
      adminToken,
      rail: { acceptDelayMs: chance.pick([0, 0, 700, 8_000, 13_500]) },
      limits: {
        prompts: chance.pick([
          { burst: 10, perMinute: 1 },
          { burst: 1, perMinute: 1 },
        ]),
      },
    },
    send: post.send,
    wrapRail: (own, report) => pushes.watch(rail.attach(own, report)),
  });
  const ofRail = chance.fork('rail');
  const railDeps = {
    world,
    chance: ofRail,
    host,
    onPrompt,
    tell: (what: string) => history.tell('rail', what),
  };
  const isOwn = chance.happens(0.5);
  count(isOwn ? 'with the rail of its own' : 'with a rail of others');
  const rail: RailSide = isOwn
    ? openSimulatedRail({ ...railDeps, book, claims })
    : openOutsideRail({ ...railDeps, faults: openFaults({ chance: ofRail, has, count }) });
  const staff = openStaff({ world, chance, host, book, tell });
  const { keys } = merchants;
  const clerk = openClerk({ world, chance, host, book, claims, keys, ownerOf, acknowledged, tell, violate });
  const checks = openPeerChecks({
    now: world.now,
    book,
    rail: rail.book,
    claims,
    decisions: staff.decisions,
    acknowledged,
    wellSince: () => Math.max(host.wellSince(), rail.wellSince()),
    violate,
  });
  const oracle = oracleOf(book, rail.book, merchants.names);
  const peer: GatewaySideDeps['peer'] = {
    get sessions() {
      return oracle.sessions;
    },
    sessionsOf: oracle.sessionsOf,
    acknowledged,
    // What the service refuses, and why, is its own tests' business.
    hasSaid: () => true,
    hasToldFailed: () => false,
    approve: rail.approve,
    decline: rail.decline,
  };
  let seen = -1;

  return {
    peer,
    onCall: pushes.onCall,
    /** The service's answer to a call; nothing where it is away, or falls meanwhile. */
    async answer(call: CallSeen): Promise<OracleAnswer | undefined> {
      const { method, path, headers, body } = call;
      // No request is on its way for longer than the gateway waits before it says that nobody was asked.
      if (world.now() - call.at >= maxRequestDelayMs) return undefined;
      const init = method === 'GET' ? { method, headers } : { method, headers, body };
      const hear = claims.listen(call);
      const answered = await host.use(async ({ app }) => {
        const response = await app.request(`http://service.test${path}`, init);
        return {
          status: response.status,
          headers: Object.fromEntries(response.headers),
          body: await response.text(),
        };
      });
      if (answered) hear(answered);
      return answered;
    },
    begin: host.start,
    heal(): void {
      for (const part of [host, post, rail, clerk]) part.heal();
    },
    /** What must hold whenever something has happened. */
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
    /** Whether no session is open, no result, event or decision waits. */
    isQuiet(): boolean {
      const work = host
        .connection()
        ?.prepare(
          `SELECT (SELECT count(*) FROM payment_session WHERE closed_at IS NULL)
             + (SELECT count(*) FROM event WHERE state = 'waiting') AS n`,
        )
        .get() as { n: number } | undefined;
      return work !== undefined && work.n + rail.owes() + staff.owes() === 0;
    },
    /** What must hold once everything is quiet. */
    settle(): void {
      if (host.isUp()) checks.quiet();
      else violate('liveness', 'the service is not up');
    },
    end: host.stop,
    close: () => host.disk.drop(false),
  };
}
