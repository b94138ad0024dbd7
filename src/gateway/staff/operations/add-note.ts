import type { z } from 'zod';
import type { noteAnswer, noteInput } from '../../../contract/staff.ts';
import { staffActionWrite } from '../action-store.ts';
import { refuse, type StaffAnswer, type StaffCall, type StaffDeps } from '../operation.ts';

/** Records a note of a person about a collection. It changes nothing else. */
export async function addNote(
  { collections, clock }: StaffDeps,
  { actor, id, input: { text } }: StaffCall<z.infer<typeof noteInput>>,
): Promise<StaffAnswer<z.infer<typeof noteAnswer>>> {
  const row = await collections.find(id);
  if (!row) return unknownCollection(id);
  const { merchantId, livemode } = row;
  const at = clock.now();
  const subject = { kind: 'collection', id, merchantId, livemode } as const;
  await collections.apply([staffActionWrite({ actor, action: 'note', subject, detail: { text } }, at)]);
  return { ok: true, value: { collectionId: id, actor, at: new Date(at).toISOString(), text } };
}

export function unknownCollection(id: string): StaffAnswer<never> {
  return refuse('not_found', `no collection ${id}: find its id with "dialtill ledger find"`);
}
