import type { Chance } from '../chance.ts';
import type { World } from '../world.ts';
import type { Book, ReviewRow } from './book.ts';
import { adminToken } from './files.ts';
import type { Host } from './host.ts';

export type StaffDeps = {
  world: World;
  chance: Chance;
  host: Pick<Host, 'use'>;
  book: Pick<Book, 'reviews'>;
  tell(what: string): void;
};

const minute = 60_000;

/** Tries to reach a service that is away, ten minutes apart. */
const maxTries = 20;

/** People in the service's back office: of money that does not fit they say, sooner or later, what becomes of it. */
export function openStaff({ world, host, book, tell, ...deps }: StaffDeps) {
  const chance = deps.chance.fork('staff of the service');
  const seen = new Set<string>();
  const decisions = new Map<string, string>();

  async function decide({ session_id: id }: ReviewRow): Promise<void> {
    const resolution = chance.pick(['accepted', 'rejected']);
    await world.sleep(chance.int(1, 90) * minute);
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
      tell(`staff: the money of ${id} is ${resolution}: ${answer?.status ?? 'no answer'}`);
      if (answer?.status === 200 || answer?.status === 409) return;
      await world.sleep(10 * minute);
    }
  }

  return {
    /** What was told to be decided, by session, time and amount. */
    decisions: decisions as ReadonlyMap<string, string>,
    /** Sees what waits for a person. */
    step(): void {
      for (const review of book.reviews()) {
        const place = `${review.session_id} ${review.paid_at} ${review.paid_minor}`;
        if (seen.has(place)) continue;
        seen.add(place);
        void decide(review);
      }
    },
    /** Money that waits for a person still. */
    owes: () => book.reviews().filter(({ resolution }) => resolution === null).length,
  };
}

export type Staff = ReturnType<typeof openStaff>;
