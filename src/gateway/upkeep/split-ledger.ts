import { resolve } from 'node:path';
import type { Clock } from '../../shared/clock.ts';
import { UserError } from '../../shared/errors.ts';
import { systemIds } from '../../shared/ids.ts';
import type { AppendRows, LedgerTarget } from '../../sqlite/ledger-target.ts';
import type { Store } from '../../sqlite/store.ts';
import { type DatabaseLocation, getName } from '../database/database-location.ts';
import { listMerchants, listMoved, type MoveDetail, moveAction } from '../database/moved-merchants-query.ts';
import { actionTable, readLastNumber } from './ledger-tables-query.ts';

/** The author of the actions that record a move. */
const mover = 'dialtill database move';

type SplitRequest = {
  /** The merchants that move. */
  merchants: readonly string[];
  /** The database of the ledger, and the one that gets a copy. */
  places: readonly [from: DatabaseLocation, to: DatabaseLocation];
  clock: Clock;
};

/**
 * Prepares that two databases share the merchants of a ledger. The copy has all rows, so that its chain is whole, cursors and numbers
 * of merchants' systems stay valid, and dialogues continue. Actions in the chain of both record which merchants the other one has, and
 * a gateway works on none of those. The ledger records it before the copy is visible, so that no two gateways work on one payment.
 *
 * @throws UserError when the merchants cannot be divided so.
 */
export async function createSplit(
  source: { store: Store; append: AppendRows; isOwn: boolean; renew(id: string): Promise<void> },
  { merchants, places, clock }: SplitRequest,
) {
  const [from, to] = places.map(nameOf) as [string, string];
  const known = await listMerchants(source.store);
  const moved = await listMoved(source.store);
  const served = known.map(({ id }) => id).filter((id) => (moved.get(id) ?? to) === to);
  const staying = served.filter((id) => !merchants.includes(id));
  requireDivisible({ merchants, known: served, staying, moved });
  let last = await readLastNumber(source.store, actionTable);

  /** Returns the rows of actions that record where merchants are. */
  function toRows(ids: readonly string[], placeOf: (id: string) => string | null) {
    return ids.map((id) => {
      last += 1;
      const row = {
        ...{ seq: last, at: clock.now(), actor: mover, action: moveAction, result: 'done' },
        ...{ subject_kind: 'merchant', subject_id: id, merchant_id: id },
        livemode: known.find((one) => one.id === id)?.livemode ?? 0,
        detail: JSON.stringify({ to: placeOf(id) } satisfies MoveDetail),
      };
      return actionTable.columns.map(({ name }) => row[name as keyof typeof row]);
    });
  }

  return {
    /** An earlier attempt may have ended, so that another copy can exist: this one begins with a recovery. */
    isRepeated: merchants.some((id) => moved.has(id)),
    /** The copy is another ledger: a file of one that replaces the other by mistake is noticed. */
    ledgerId: systemIds(clock).next('led'),
    /** Records in the copy that the others have stayed, and that those that move are served from it. */
    async markCopy(target: LedgerTarget): Promise<void> {
      await target.insert(actionTable, [...toRows(staying, () => from), ...toRows(merchants, () => null)]);
      await target.continueNumbers(actionTable, last);
    },
    /** Records in the ledger that they have moved. Returns the function that undoes this. */
    async leave(): Promise<() => Promise<void>> {
      // A copy of the file from before the move is recognized by its id.
      if (source.isOwn) await source.renew(systemIds(clock).next('led'));
      const record = (placeOf: (id: string) => string | null) =>
        source.append(actionTable, toRows(merchants, placeOf));
      await record(() => to);
      return () => record((id) => moved.get(id) ?? null);
    },
  };
}

/** A file has one name in whichever folder the command runs. */
function nameOf(place: DatabaseLocation): string {
  return place.file === undefined ? getName(place) : resolve(place.file);
}

function requireDivisible({
  merchants,
  known,
  staying,
  moved,
}: Pick<SplitRequest, 'merchants'> & {
  known: readonly string[];
  staying: readonly string[];
  moved: ReadonlyMap<string, string>;
}): void {
  for (const id of merchants) {
    if (known.includes(id)) continue;
    const place = moved.get(id);
    throw new UserError(
      place === undefined
        ? `the ledger has no merchant ${id}. It has: ${known.join(', ') || 'none'}`
        : `the merchant ${id} is served from ${place}, not from this database`,
    );
  }
  const halfMoved = staying.filter((id) => moved.has(id));
  if (halfMoved.length > 0)
    throw new UserError(
      `an earlier move of ${halfMoved.join(', ')} to this database has not ended: repeat it with the merchants of then`,
    );
  if (staying.length === 0)
    throw new UserError('no other merchant would stay: leave out --merchant to move the whole ledger');
}
