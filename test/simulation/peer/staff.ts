import { minute } from '../../kit/clock.ts';
import type { Part } from '../scene.ts';
import { adminToken } from './files.ts';
import type { Host } from './host.ts';
import type { ReviewRow, ServiceRecords } from './service-records.ts';

export type StaffDeps = Part & {
  host: Pick<Host, 'use'>;
  records: Pick<ServiceRecords, 'reviews'>;
  record(what: string): void;
};

/** Attempts to reach a service that is down, ten minutes apart. */
const maxTries = 20;

type Resolution = 'accepted' | 'rejected';

const placeOf = (sessionId: string, paidAt: number, paidMinor: number) =>
  `${sessionId} ${paidAt} ${paidMinor}`;

/**
 * Simulates the service's support staff, who decide every review after a while: some late, and some twice, by two people who
 * do not know of each other. They settle some of the refunds that they owe.
 */
export function createStaff({ scheduler, host, records, record, count, ...deps }: StaffDeps) {
  const random = deps.random.fork('service_staff');
  const seen = new Set<string>();
  const decisions = new Map<string, Resolution>();

  const post = (id: string, path: 'review' | 'refund', body: object) =>
    host.use(async ({ app }) =>
      app.request(`http://service.test/backoffice/sessions/${id}/${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    );

  async function decide(id: string, resolution: Resolution, waitMs: number): Promise<void> {
    await scheduler.sleep(waitMs);
    for (let tries = 0; tries < maxTries; tries++) {
      const answer = await post(id, 'review', { resolution });
      if (answer?.status === 200) await keep(id, resolution, answer);
      record(`staff: the money of ${id} is ${resolution}: ${answer?.status ?? 'no answer'}`);
      if (answer?.status === 200 || answer?.status === 409) return;
      await scheduler.sleep(10 * minute);
    }
  }

  async function keep(id: string, resolution: Resolution, answer: Response): Promise<void> {
    const { paid_at, paid_minor } = (await answer.json()) as { paid_at: string; paid_minor: number };
    const place = placeOf(id, Date.parse(paid_at), paid_minor);
    if (decisions.has(place)) deps.violate('service durability', `the review of ${place} was decided twice`);
    decisions.set(place, resolution);
    count(`review ${resolution}`);
    if (resolution === 'rejected' && random.happens(0.6)) void settleRefund(id);
  }

  async function settleRefund(id: string): Promise<void> {
    await scheduler.sleep(random.int(1, 120) * minute);
    const answer = await post(id, 'refund', { reference: `MP-${random.int(1, 99_999)}`, by: 'Ama' });
    record(`staff: the money of ${id} is returned: ${answer?.status ?? 'no answer'}`);
    if (answer?.status === 200) count('refund settled');
  }

  /** Starts the decisions of a review: within 90 minutes, or late by hours; a second person may decide as well. */
  function assign({ session_id: id }: ReviewRow): void {
    const isLate = random.happens(0.2);
    const waitMs = isLate ? random.int(120, 600) * minute : random.int(1, 90) * minute;
    if (isLate) count('review decided late');
    void decide(id, random.pick(['accepted', 'rejected']), waitMs);
    if (!random.happens(0.3)) return;
    count('review decided twice');
    // Mostly at the same time, so that the two calls race.
    const laterMs = random.pick([0, 0, random.int(1, 60) * minute]);
    void decide(id, random.pick(['accepted', 'rejected']), waitMs + laterMs);
  }

  return {
    /** Accepted decisions, by session, time and amount. */
    decisions: decisions as ReadonlyMap<string, string>,
    /** Starts the decisions of each new review. */
    step(): void {
      for (const review of records.reviews()) {
        const place = placeOf(review.session_id, review.paid_at, review.paid_minor);
        if (seen.has(place)) continue;
        seen.add(place);
        assign(review);
      }
    },
    /** The number of undecided reviews. */
    pendingCount: () => records.reviews().filter(({ resolution }) => resolution === null).length,
  };
}

export type Staff = ReturnType<typeof createStaff>;
