import type { z } from 'zod';
import { type noteAnswer, noteInput } from '../../../contract/staff/staff.ts';
import { staffActionWrite } from '../../access/action-store.ts';
import type { Account, AccountStore } from '../../accounts/account-store.ts';
import { defineOperation, type StaffAnswer, type StaffDeps } from '../operation.ts';
import { collectionSubject } from '../subjects.ts';

/** People whom one note can mention. */
const maxMentions = 5;

/** Returns the accounts whose names a text mentions as `@name`. People of merchants do not see notes. */
async function mentionedIn(text: string, accounts: AccountStore): Promise<Account[]> {
  const found = text.matchAll(/(?<![\w@.])@([a-z0-9][a-z0-9-]{0,31})/g);
  const names = [...new Set([...found].map(([, name = '']) => name))].slice(0, maxMentions);
  const all = await Promise.all(names.map((name) => accounts.findByName(name)));
  return all.filter(
    (one) => one !== undefined && one.disabledAt === null && one.role !== 'merchant',
  ) as Account[];
}

/** Records a note of a person about a collection, and whom it mentions. It changes nothing else. */
export const addNote = defineOperation({
  route: 'POST /collections/:id/notes',
  permission: 'payments.note',
  input: noteInput,
  subject: collectionSubject,
  async run({ collections, accounts, clock }: StaffDeps, { actor, subject: row, input: { text } }) {
    const { id, merchantId, livemode } = row;
    const at = clock.now();
    const subject = { kind: 'collection', id, merchantId, livemode } as const;
    const mentions = (await mentionedIn(text, accounts)).map(({ id: account, name }) => {
      const person = { kind: 'account', id: account, merchantId: null, livemode } as const;
      return staffActionWrite(
        { actor, action: 'mention', subject: person, detail: { name, collection: id } },
        at,
      );
    });
    const note = staffActionWrite({ actor, action: 'note', subject, detail: { text } }, at);
    await collections.apply([note, ...mentions]);
    return {
      ok: true,
      value: { collectionId: id, actor: actor.name, at: new Date(at).toISOString(), text },
    } satisfies StaffAnswer<z.infer<typeof noteAnswer>>;
  },
});
