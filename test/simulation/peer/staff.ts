import type { Random } from '../random.ts';
import type { Scheduler } from '../scheduler.ts';
import { adminToken } from './files.ts';
import type { Host } from './host.ts';
import type { ReviewRow, ServiceRecords } from './service-records.ts';

export type StaffDeps = {
  scheduler: Scheduler;
  random: Random;
  host: Pick<Host, 'use'>;
  records: Pick<ServiceRecords, 'reviews'>;
  record(what: string): void;
};

const minute = 60_000;

/** Attempts to reach a service that is down, ten minutes apart. */
const maxTries = 20;

/** Simulates the service's support staff, who decide every review after a while. */
export function createStaff({ scheduler, host, records, record, ...deps }: StaffDeps) {
  const random = deps.random.fork('service_staff');
  const seen = new Set<string>();
  const decisions = new Map<string, string>();

  async function decide({ session_id: id }: ReviewRow): Promise<void> {
    const resolution = random.pick(['accepted', 'rejected']);
    await scheduler.sleep(random.int(1, 90) * minute);
    for (let tries = 0; tries < maxTries; tries++) {
      const answer = await host.use(async ({ app }) =>
        app.request(`http://service.test/backoffice/sessions/${id}/review`, {
          method: 'POST',
          headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
          body: JSON.stringify({ resolution }),
        }),
      );
      if (answer?.status === 200) {
        const { paid_at, paid_minor } = (await answer.json()) as { paid_at: string; paid_minor: number };
        decisions.set(`${id} ${Date.parse(paid_at)} ${paid_minor}`, resolution);
      }
      record(`staff: the money of ${id} is ${resolution}: ${answer?.status ?? 'no answer'}`);
      if (answer?.status === 200 || answer?.status === 409) return;
      await scheduler.sleep(10 * minute);
    }
  }

  return {
    /** Accepted decisions, by session, time and amount. */
    decisions: decisions as ReadonlyMap<string, string>,
    /** Starts a decision for each new review. */
    step(): void {
      for (const review of records.reviews()) {
        const place = `${review.session_id} ${review.paid_at} ${review.paid_minor}`;
        if (seen.has(place)) continue;
        seen.add(place);
        void decide(review);
      }
    },
    /** The number of undecided reviews. */
    pendingCount: () => records.reviews().filter(({ resolution }) => resolution === null).length,
  };
}

export type Staff = ReturnType<typeof createStaff>;
