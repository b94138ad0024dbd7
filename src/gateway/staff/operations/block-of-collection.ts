import type { z } from 'zod';
import type {
  blockAnswer,
  blockOfCollectionInput,
  unblockOfCollectionInput,
} from '../../../contract/staff.ts';
import type { CollectionRow } from '../../collection/collection.ts';
import type { BlockKey } from '../block-query.ts';
import type { StaffAnswer, StaffCall, StaffDeps } from '../operation.ts';
import { unknownCollection } from './add-note.ts';
import { block, unblock } from './block.ts';

type Answer = StaffAnswer<z.infer<typeof blockAnswer>>;

/** Blocks the dialler or the payer of a collection, without its number in the request. */
export async function blockOfCollection(
  deps: StaffDeps,
  { actor, id, input }: StaffCall<z.infer<typeof blockOfCollectionInput>>,
): Promise<Answer> {
  const row = await deps.collections.find(id);
  return row ? block(deps, keyOf(row, input), { actor, input, of: row }) : unknownCollection(id);
}

/** Removes the block of the dialler or of the payer of a collection. */
export async function unblockOfCollection(
  deps: StaffDeps,
  { actor, id, input }: StaffCall<z.infer<typeof unblockOfCollectionInput>>,
): Promise<Answer> {
  const row = await deps.collections.find(id);
  return row ? unblock(deps, keyOf(row, input), { actor, input, of: row }) : unknownCollection(id);
}

function keyOf(
  { dialler, payer, merchantId, livemode }: CollectionRow,
  { role, everywhere }: z.infer<typeof unblockOfCollectionInput>,
): BlockKey {
  const msisdn = role === 'dialler' ? dialler : payer;
  return { msisdn, role, merchantId: everywhere ? null : merchantId, livemode };
}
