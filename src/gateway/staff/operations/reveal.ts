import type { z } from 'zod';
import type { revealAnswer, revealInput } from '../../../contract/staff.ts';
import { maskNumbers } from '../../../shared/mask-numbers.ts';
import { answersOf } from '../../collection/answers.ts';
import { staffActionWrite } from '../action-store.ts';
import type { StaffAnswer, StaffCall, StaffDeps } from '../operation.ts';
import { unknownCollection } from './add-note.ts';

/** How long the pages of a session show the numbers of a collection. */
const revealedMs = 5 * 60_000;

/** Returns the whole numbers of a collection, and records who saw them and why. */
export async function reveal(
  { collections, clock }: StaffDeps,
  { actor, id, input: { reason, session } }: StaffCall<z.infer<typeof revealInput>>,
): Promise<StaffAnswer<z.infer<typeof revealAnswer>>> {
  const row = await collections.find(id);
  if (!row) return unknownCollection(id);
  const { merchantId, livemode, payer, dialler } = row;
  const at = clock.now();
  const until = at + revealedMs;
  const subject = { kind: 'collection', id, merchantId, livemode } as const;
  // The audit keeps its rows for ever: a number that a person types does not get into it.
  const detail = { reason: maskNumbers(reason), session, until };
  await collections.apply([staffActionWrite({ actor, action: 'reveal', subject, detail }, at)]);
  const answers = answersOf(row, 'whole');
  const show = (time: number) => new Date(time).toISOString();
  return {
    ok: true,
    value: { collectionId: id, actor, at: show(at), until: show(until), payer, dialler, answers },
  };
}
