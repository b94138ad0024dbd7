import type { z } from 'zod';
import { assignInput } from '../../../contract/staff/staff.ts';
import { type StaffAction, staffActionWrite } from '../../access/action-store.ts';
import type { Actor } from '../../access/actor.ts';
import { roleHas } from '../../access/permissions.ts';
import { defineOperation, refuse, type StaffAnswer, type StaffDeps } from '../operation.ts';
import { collectionSubject, unplacedSubject } from '../subjects.ts';

/** Records which person has a collection to resolve. The last assignment holds. */
export const assign = defineOperation({
  route: 'POST /collections/:id/assign',
  permission: 'payments.work',
  input: assignInput,
  subject: collectionSubject,
  async run(deps: StaffDeps, { actor, input, subject: { id, merchantId, livemode } }) {
    const assigned = await assignTo(deps, actor, input, { kind: 'collection', id, merchantId, livemode });
    return assigned.ok ? { ok: true, value: { collectionId: id, ...assigned.value } } : assigned;
  },
});

/** Records which person has unplaced money to resolve. */
export const assignUnplaced = defineOperation({
  route: 'POST /unplaced/:id/assign',
  permission: 'payments.work',
  input: assignInput,
  subject: unplacedSubject,
  async run(deps: StaffDeps, { actor, input, subject: { id, merchantId, livemode } }) {
    const assigned = await assignTo(deps, actor, input, { kind: 'unplaced', id, merchantId, livemode });
    return assigned.ok ? { ok: true, value: { unplacedId: id, ...assigned.value } } : assigned;
  },
});

async function assignTo(
  deps: StaffDeps,
  actor: Actor,
  input: z.infer<typeof assignInput>,
  subject: StaffAction['subject'],
): Promise<StaffAnswer<{ actor: string; at: string; to: string | null }>> {
  const { to } = input;
  const refused = to === null ? undefined : await refuseName(deps, to);
  if (refused) return refused;
  const at = deps.clock.now();
  await deps.collections.apply([staffActionWrite({ actor, action: 'assign', subject, detail: input }, at)]);
  return { ok: true, value: { actor: actor.name, at: new Date(at).toISOString(), to } };
}

async function refuseName(deps: StaffDeps, name: string) {
  const names = await assignableNames(deps);
  if (names.includes(name)) return undefined;
  const choice = names.length > 0 ? `choose one of ${names.join(', ')}` : 'no account works on payments';
  return refuse('not_found', `no person ${name}: ${choice}`);
}

/** Returns the names of the people who can have a collection to resolve, in the order of the alphabet. */
export async function assignableNames({ accounts }: Pick<StaffDeps, 'accounts'>): Promise<string[]> {
  const people = await accounts.list();
  return people
    .filter(({ role, disabledAt }) => disabledAt === null && roleHas(role, 'payments.work'))
    .map(({ name }) => name);
}
