import type { Msisdn } from '../../src/shared/msisdn.ts';
import type { Database } from '../../src/sqlite/driver.ts';
import type { StaffName } from '../kit/staff.ts';
import { hour, minute, numbers, type Scene } from './scene.ts';

export type BlockingStaffDeps = {
  scene: Scene;
  merchants: readonly string[];
  /** Calls the staff API as a person; `undefined` when it refuses, or is down. */
  call(name: StaffName, path: string, body?: object): Promise<unknown>;
};

type Role = 'dialler' | 'payer';

/** A block that holds, without doubt, after `from` and before `to`. */
type Block = { msisdn: Msisdn; role: Role; merchantId: string | null; from: number; to: number };

type Opened = {
  id: string;
  merchant_id: string;
  dialler: string;
  payer: string;
  requested_by: string;
  opened_at: number;
};

/** Simulates staff who block numbers, everywhere or at one merchant, with and without an end, and who free some again. */
export function createBlockingStaff({ scene, merchants, call }: BlockingStaffDeps) {
  const { scheduler, plan, count, history, has, violate } = scene;
  const { now } = scheduler;
  const random = scene.random.fork('blocking_staff');
  const blocks: Block[] = [];

  const isSame = (a: Omit<Block, 'from' | 'to'>, b: Omit<Block, 'from' | 'to'>) =>
    a.msisdn === b.msisdn && a.role === b.role && a.merchantId === b.merchantId;

  /** A later action on the same key may take effect as soon as it is sent. */
  function end(key: Omit<Block, 'from' | 'to'>): void {
    for (const one of blocks) if (isSame(one, key)) one.to = Math.min(one.to, now());
  }

  async function block(): Promise<void> {
    const merchantId = random.pick([null, ...merchants]);
    const key = {
      msisdn: random.pick(numbers),
      role: random.pick(['dialler', 'payer'] as const),
      merchantId,
    };
    const to = random.happens(0.5) ? now() + random.int(5, 120) * minute : Number.POSITIVE_INFINITY;
    const until = Number.isFinite(to) ? new Date(to).toISOString() : null;
    end(key);
    if (!(await call('ama', '/blocks', { ...key, until, reason: 'a complaint' }))) return;
    blocks.push({ ...key, from: now(), to });
    count(`staff block ${key.role}`);
    history.record('staff', `ama blocks ${JSON.stringify(key)} until ${until}`);
    if (random.happens(0.3)) return;
    await scheduler.sleep(random.int(1, 120) * minute);
    end(key);
    if (await call('kofi', '/blocks/remove', { ...key, reason: 'the caller was heard' }))
      history.record('staff', `kofi unblocks ${JSON.stringify(key)}`);
  }

  function isAgainst(one: Block, row: Opened): boolean {
    const isHere = one.merchantId === null || one.merchantId === row.merchant_id;
    // A blocked payer is asked by no other phone, and still pays for itself.
    const isPerson =
      one.role === 'dialler'
        ? row.dialler === one.msisdn
        : row.payer === one.msisdn && row.requested_by !== 'payer';
    return isHere && isPerson && row.opened_at > one.from && row.opened_at < one.to;
  }

  return {
    begin(): void {
      if (!has('numbers_blocked')) return;
      for (let count = random.int(2, 8); count > 0; count--)
        scheduler.after(random.int(0, plan.hours * hour), () => void block());
    },
    /** Checks that no collection was opened against a block. With a wrong clock, the times of both do not compare. */
    check(file: Database): void {
      if (has('clock_skew') || has('clock_jumps')) return;
      const opened = file
        .prepare('SELECT id, merchant_id, dialler, payer, requested_by, opened_at FROM collection')
        .all() as Opened[];
      for (const row of opened) {
        const found = blocks.find((one) => isAgainst(one, row));
        if (found) violate('block', `${row.id} was opened although its ${found.role} was blocked`);
      }
    },
  };
}
