import type { StaffName } from '../kit/staff.ts';
import type { CheckDeps } from './check.ts';
import { hour, minute, type Scene, second } from './scene.ts';

export type UnplacedStaffDeps = {
  scene: Scene;
  oracle: Pick<CheckDeps['oracle'], 'sessions'>;
  /** Calls the staff API as a person; `undefined` when it refuses, or is down. */
  call(name: string, path: string, body?: object): Promise<unknown>;
  /** Returns who acts in the place of a person. */
  standIn(name: string): string;
};

/** An unplaced payment as the gateway's staff API returns it. */
type Unplaced = {
  id: string;
  merchantId: string;
  version: number;
  amountMinor: number | null;
  sessionId: string | null;
  charge: number;
  suggestions: { collectionId: string }[];
};

/**
 * Simulates two people of support staff, who decide about unplaced payments while events, polls and the decisions of each
 * other arrive. They know from the service's records which sessions are foreign; they return the rest, or match it with a
 * collection that fits. Some proposals are about an older version, are withdrawn, refused or approved twice.
 */
export function createUnplacedStaff({ scene, oracle, call, standIn }: UnplacedStaffDeps) {
  const { scheduler, plan, count, history } = scene;
  const random = scene.random.fork('unplaced_staff');
  const people = ['ama', 'kofi'] as const;

  /** Returns the terms of a decision about a payment; undefined while these people wait. */
  function termsOf({
    sessionId,
    merchantId,
    charge,
    suggestions,
    amountMinor,
  }: Unplaced): object | undefined {
    const session = oracle.sessions.get(sessionId ?? '');
    if (session?.merchant !== merchantId) return { outcome: 'foreign' };
    // The session's collection may still learn it.
    if (charge === 1 && random.happens(0.7)) return undefined;
    const [best] = suggestions;
    if (best && amountMinor !== null && random.happens(0.9))
      return { outcome: 'match', collectionId: best.collectionId };
    return { outcome: 'return', reference: `MP-${random.int(1, 99_999)}` };
  }

  async function decide(author: StaffName, payment: Unplaced): Promise<void> {
    const terms = termsOf(payment);
    if (!terms || random.happens(0.3)) return;
    const version = Math.max(1, payment.version - (random.happens(0.1) ? 1 : 0));
    const asked = { ...terms, evidence: 'statement', version };
    const made = (await call(author, `/unplaced/${payment.id}/proposals`, asked)) as
      | { id: string }
      | undefined;
    if (!made) return;
    history.record('staff', `${author} proposes ${JSON.stringify(terms)} for ${payment.id}`);
    await scheduler.sleep(random.int(0, 20) * random.pick([second, minute]));
    const verb = random.happens(0.2) ? random.pick(['withdraw', 'refuse'] as const) : 'approve';
    const other = random.happens(0.8) ? people.find((one) => one !== author) : author;
    // Two approvals at the same time race.
    const copies = random.happens(0.2) ? 2 : 1;
    const actor = standIn(other ?? author);
    const act = () => call(actor, `/proposals/${made.id}/${verb}`, {});
    const answers = await Promise.all(Array.from({ length: copies }, act));
    const done = answers.filter((one) => one !== undefined).length;
    if (done > 0) count(`staff ${verb} unplaced ${(terms as { outcome: string }).outcome}`);
    if (done > 1) scene.violate('decision', `${made.id} was applied ${done} times`);
    history.record('staff', `${actor} does ${verb} ${made.id}: ${done} of ${copies}`);
  }

  async function look(): Promise<void> {
    const author = random.pick(people);
    const page = (await call(author, '/unplaced?state=open')) as { data: Unplaced[] } | undefined;
    for (const payment of page?.data ?? []) await decide(author, payment);
  }

  return {
    begin(): void {
      for (let looks = random.happens(0.8) ? random.int(5, 15) : 0; looks > 0; looks--)
        scheduler.after(random.int(0, (plan.hours + 2) * hour), () => void look());
    },
  };
}
