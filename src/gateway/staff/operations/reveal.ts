import type { z } from 'zod';
import { type revealAnswer, revealInput } from '../../../contract/staff/staff.ts';
import { maskNumbers } from '../../../shared/msisdn.ts';
import { staffActionWrite } from '../../access/action-store.ts';
import { toAnswers } from '../../collection/answers.ts';
import { defineOperation, type StaffAnswer, type StaffDeps } from '../operation.ts';
import { collectionSubject } from '../subjects.ts';

/** How long the pages of a session show the numbers of a collection. */
const revealedMs = 5 * 60_000;

/** Returns the whole numbers of a collection, and records who saw them and why. */
export const reveal = defineOperation({
  route: 'POST /collections/:id/reveal',
  permission: 'numbers.reveal',
  input: revealInput,
  subject: collectionSubject,
  async run(
    { collections, clock }: StaffDeps,
    { actor, id, subject: row, input: { reason, session } },
  ): Promise<StaffAnswer<z.infer<typeof revealAnswer>>> {
    const { merchantId, livemode, payer, dialler } = row;
    const at = clock.now();
    const until = at + revealedMs;
    const subject = { kind: 'collection', id, merchantId, livemode } as const;
    const seenBy = session ?? (actor.kind === 'person' ? actor.session.id : null);
    // The audit keeps its rows for ever: a number that a person types does not get into it.
    const detail = { reason: maskNumbers(reason), session: seenBy, until };
    await collections.apply([staffActionWrite({ actor, action: 'reveal', subject, detail }, at)]);
    const answers = toAnswers(row, 'whole');
    const show = (time: number) => new Date(time).toISOString();
    return {
      ok: true,
      value: {
        collectionId: id,
        actor: actor.name,
        at: show(at),
        until: show(until),
        payer,
        dialler,
        answers,
      },
    };
  },
});
