import type { z } from 'zod';
import type { assignAnswer, assignInput } from '../../../contract/staff.ts';
import { staffActionWrite } from '../action-store.ts';
import { refuse, type StaffAnswer, type StaffCall, type StaffDeps } from '../operation.ts';
import { unknownCollection } from './add-note.ts';

/** Records which person has a collection to resolve. The last assignment holds. */
export async function assign(
  { collections, accounts, staffNames, clock }: StaffDeps,
  { actor, id, input }: StaffCall<z.infer<typeof assignInput>>,
): Promise<StaffAnswer<z.infer<typeof assignAnswer>>> {
  const row = await collections.find(id);
  if (!row) return unknownCollection(id);
  const { to } = input;
  const names = staffNames();
  if (to !== null && !names.has(to) && !(await hasAccount(accounts, to)))
    return refuse('not_found', `no person ${to}: choose one of ${[...names].join(', ')}`);
  const { merchantId, livemode } = row;
  const at = clock.now();
  const subject = { kind: 'collection', id, merchantId, livemode } as const;
  await collections.apply([staffActionWrite({ actor, action: 'assign', subject, detail: input }, at)]);
  return { ok: true, value: { collectionId: id, actor, at: new Date(at).toISOString(), to } };
}

/** Returns whether a person with the name signs in to the console. */
async function hasAccount({ findByName }: StaffDeps['accounts'], name: string): Promise<boolean> {
  const found = await findByName(name);
  return found !== undefined && found.disabledAt === null;
}
