import type { Database } from '../../src/sqlite/driver.ts';
import { createBlockingStaff } from './blocking-staff.ts';
import type { CheckDeps } from './check.ts';
import { accessFaults } from './check-access.ts';
import { createEndedAccess } from './ended-access.ts';
import { createNewDeciders } from './new-deciders.ts';
import { hour, minute, type Scene, second } from './scene.ts';
import { createStaffAccess } from './staff-access.ts';
import { createUnplacedStaff } from './unplaced-staff.ts';

export type GatewayStaffDeps = {
  scene: Scene;
  merchants: readonly string[];
  oracle: Pick<CheckDeps['oracle'], 'sessions'>;
  /** Sends a request to the gateway; `undefined` when it is down. */
  request(url: string, init: RequestInit): Promise<Response | undefined>;
  /** Returns the payment session of a collection. */
  sessionOf(collectionId: string): string | undefined;
};

/** A review as the gateway's staff API returns it. */
type Review = { collectionId: string; version: number; booked: string | null; amountMinor: number | null };

/**
 * Simulates two people of support staff, who know from the service's records what was taken. They propose and approve
 * decisions, sometimes on an older version, sometimes their own, and while events arrive.
 */
export function createGatewayStaff({ scene, merchants, oracle, request, sessionOf }: GatewayStaffDeps) {
  const { scheduler, plan, count, history } = scene;
  const random = scene.random.fork('gateway_staff');
  const people = ['ama', 'kofi'] as const;
  const access = createStaffAccess({ scene, request });
  const ended = createEndedAccess({ scene, access });
  const newcomers = createNewDeciders({ scene, access });

  async function call(name: string, path: string, body?: object): Promise<unknown> {
    const [, verb] = /\/(proposals|approve|withdraw|refuse)$/.exec(path) ?? [];
    if (verb === 'approve') await access.confirm(name);
    const answered = access.call(name, path, body);
    if (verb) void ended.interrupt(name, verb === 'proposals');
    const answer = await answered;
    if (answer?.status !== 200) {
      if (body) count(`staff refused ${answer?.status ?? 'no answer'}`);
      const isEnded = answer?.status === 401 && (await answer.text()).includes('access_ended');
      if (isEnded) count('staff access ended meanwhile');
      return undefined;
    }
    return answer.json();
  }

  /** Returns the true decision about a review; undefined when these people cannot tell. */
  function decisionOn({ collectionId, booked, amountMinor }: Review): string | undefined {
    const session = oracle.sessions.get(sessionOf(collectionId) ?? '');
    if (!session || session.charges > 1) return undefined;
    if (session.takenMinor === 0) return 'not_paid';
    if (booked === null) return session.takenMinor === session.amountMinor ? 'paid' : undefined;
    return booked === 'suspense' && amountMinor === session.takenMinor ? 'accept' : undefined;
  }

  async function decide(): Promise<void> {
    const author = random.pick(people);
    const list = (await call(author, '/reviews')) as { data: Review[] } | undefined;
    for (const review of list?.data ?? []) {
      const outcome = decisionOn(review);
      if (outcome === undefined || random.happens(0.3)) continue;
      const version = review.version - (random.happens(0.1) ? 1 : 0);
      const terms = { outcome, evidence: 'statement', version };
      const made = (await call(author, `/reviews/${review.collectionId}/proposals`, terms)) as
        | { id: string }
        | undefined;
      if (!made) continue;
      history.record('staff', `${author} proposes ${outcome} for ${review.collectionId}`);
      await scheduler.sleep(random.int(0, 20) * random.pick([second, minute]));
      const verb = random.happens(0.1) ? 'withdraw' : 'approve';
      const other = random.happens(0.8) ? people.find((one) => one !== author) : author;
      const approver = newcomers.standIn(other ?? author);
      if (await call(approver, `/proposals/${made.id}/${verb}`, {})) {
        count(`staff ${verb} ${outcome}`);
        history.record('staff', `${approver} does ${verb} ${made.id}`);
      }
    }
  }

  const unplaced = createUnplacedStaff({ scene, oracle, call, standIn: newcomers.standIn });
  const blocking = createBlockingStaff({ scene, merchants, call });

  return {
    begin(): void {
      unplaced.begin();
      blocking.begin();
      newcomers.begin();
      for (let looks = random.happens(0.7) ? random.int(10, 30) : 0; looks > 0; looks--)
        scheduler.after(random.int(0, (plan.hours + 2) * hour), () => void decide());
    },
    /** Checks what these people asked for, when no work is left. */
    check(file: Database): void {
      blocking.check(file);
      for (const fault of accessFaults(file)) scene.violate('access', fault);
    },
  };
}
