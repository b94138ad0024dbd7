import type { z } from 'zod';
import type { assignAnswer, assignInput, assignUnplacedAnswer } from '../../../contract/staff.ts';
import { type StaffAction, staffActionWrite } from '../action-store.ts';
import { assignableNames } from '../assignable-names.ts';
import { refuse, type StaffAnswer, type StaffCall, type StaffDeps } from '../operation.ts';
import { unknownCollection } from './add-note.ts';
import { unknownUnplaced } from './read-unplaced.ts';

/** Records which person has a collection to resolve. The last assignment holds. */
export async function assign(
  deps: StaffDeps,
  call: StaffCall<z.infer<typeof assignInput>>,
): Promise<StaffAnswer<z.infer<typeof assignAnswer>>> {
  const row = await deps.collections.find(call.id);
  if (!row) return unknownCollection(call.id);
  const { merchantId, livemode } = row;
  const assigned = await assignTo(deps, call, { kind: 'collection', id: row.id, merchantId, livemode });
  return assigned.ok ? { ok: true, value: { collectionId: row.id, ...assigned.value } } : assigned;
}

/** Records which person has unplaced money to resolve. */
export async function assignUnplaced(
  deps: StaffDeps,
  call: StaffCall<z.infer<typeof assignInput>>,
): Promise<StaffAnswer<z.infer<typeof assignUnplacedAnswer>>> {
  const row = await deps.unplaced.find(call.id);
  if (!row) return unknownUnplaced(call.id);
  const { merchantId, livemode } = row;
  const assigned = await assignTo(deps, call, { kind: 'unplaced', id: row.id, merchantId, livemode });
  return assigned.ok ? { ok: true, value: { unplacedId: row.id, ...assigned.value } } : assigned;
}

async function assignTo(
  deps: StaffDeps,
  { actor, input }: StaffCall<z.infer<typeof assignInput>>,
  subject: StaffAction['subject'],
): Promise<StaffAnswer<{ actor: string; at: string; to: string | null }>> {
  const { to } = input;
  const refused = to === null ? undefined : await refuseName(deps, to);
  if (refused) return refused;
  const at = deps.clock.now();
  await deps.collections.apply([staffActionWrite({ actor, action: 'assign', subject, detail: input }, at)]);
  return { ok: true, value: { actor, at: new Date(at).toISOString(), to } };
}

async function refuseName(deps: StaffDeps, name: string) {
  const names = await assignableNames(deps);
  if (names.includes(name)) return undefined;
  const choice = names.length > 0 ? `choose one of ${names.join(', ')}` : 'no account works on payments';
  return refuse('not_found', `no person ${name}: ${choice}`);
}
