import type { z } from 'zod';
import {
  type blockAnswer,
  blockInput,
  blockOfCollectionInput,
  unblockInput,
  unblockOfCollectionInput,
} from '../../../contract/staff/staff.ts';
import { maskNumbers, parseMsisdn } from '../../../shared/msisdn.ts';
import { staffActionWrite } from '../../access/action-store.ts';
import { type Actor, can } from '../../access/permissions.ts';
import type { CollectionRow } from '../../collection/collection.ts';
import type { BlockKey } from '../block-query.ts';
import {
  defineOperation,
  type OperationRefusal,
  refuse,
  type StaffAnswer,
  type StaffDeps,
} from '../operation.ts';
import { collectionSubject, merchantSubject } from '../subjects.ts';

type Answer = StaffAnswer<z.infer<typeof blockAnswer>>;

/** Blocks a number until a time, or without an end. It replaces an earlier block of the same role at the same place. */
export const blockNumber = defineOperation({
  route: 'POST /blocks',
  permission: 'blocks.write',
  input: blockInput,
  subject: merchantSubject,
  async run(deps: StaffDeps, { actor, input }) {
    const key = keyOfNumber(deps, input);
    return 'ok' in key ? key : block(deps, key, { actor, input });
  },
});

export const unblockNumber = defineOperation({
  route: 'POST /blocks/remove',
  permission: 'blocks.write',
  input: unblockInput,
  subject: merchantSubject,
  async run(deps: StaffDeps, { actor, input }) {
    const key = keyOfNumber(deps, input);
    return 'ok' in key ? key : unblock(deps, key, { actor, input });
  },
});

/** Blocks the dialler or the payer of a collection, without its number in the request. */
export const blockOfCollection = defineOperation({
  route: 'POST /collections/:id/block',
  permission: 'payments.block',
  input: blockOfCollectionInput,
  subject: collectionSubject,
  run: (deps: StaffDeps, { actor, input, subject: of }) =>
    block(deps, keyOfCollection(of, input), { actor, input, of }),
});

export const unblockOfCollection = defineOperation({
  route: 'POST /collections/:id/unblock',
  permission: 'payments.block',
  input: unblockOfCollectionInput,
  subject: collectionSubject,
  run: (deps: StaffDeps, { actor, input, subject: of }) =>
    unblock(deps, keyOfCollection(of, input), { actor, input, of }),
});

type Terms = Pick<z.infer<typeof blockInput>, 'reason' | 'until'>;

/** Blocks a number. @param of the collection because of which; the action stands in its timeline, too. */
async function block(
  deps: StaffDeps,
  key: BlockKey,
  { actor, input, of }: { actor: Actor; input: Terms; of?: CollectionRow | undefined },
): Promise<Answer> {
  const until = input.until === null ? null : Date.parse(input.until);
  const now = deps.clock.now();
  if (until !== null && until <= now)
    return refuse('invalid_request', 'until: expected a time in the future');
  await record(deps, { actor, action: 'block', key, of, detail: { reason: input.reason, until } });
  return answer(key, { actor: actor.name, at: now, until, of });
}

/** Removes the block of a number. @param of as for `block`. */
async function unblock(
  deps: StaffDeps,
  key: BlockKey,
  { actor, input, of }: { actor: Actor; input: Pick<Terms, 'reason'>; of?: CollectionRow | undefined },
): Promise<Answer> {
  const now = deps.clock.now();
  if (!(await deps.blocks.find(key, now))) {
    await recordGuess(deps, actor, key);
    return refuse('not_found', 'the number has no such block: list them with "dialtill block list"');
  }
  await record(deps, { actor, action: 'unblock', key, of, detail: { reason: input.reason } });
  return answer(key, { actor: actor.name, at: now, until: null, of });
}

function keyOfNumber(
  { livemode }: StaffDeps,
  { msisdn: text, role, merchantId }: z.infer<typeof unblockInput>,
): BlockKey | OperationRefusal {
  const msisdn = parseMsisdn(text);
  if (!msisdn) return refuse('invalid_request', 'msisdn: expected a Ghanaian number such as 0244123456');
  return { msisdn, role, merchantId, livemode };
}

function keyOfCollection(
  { dialler, payer, merchantId, livemode }: CollectionRow,
  { role, everywhere }: z.infer<typeof unblockOfCollectionInput>,
): BlockKey {
  const msisdn = role === 'dialler' ? dialler : payer;
  return { msisdn, role, merchantId: everywhere ? null : merchantId, livemode };
}

type Recorded = {
  actor: Actor;
  action: 'block' | 'unblock';
  key: BlockKey;
  of: CollectionRow | undefined;
  detail: Readonly<Record<string, unknown>>;
};

async function record(
  { collections, clock }: StaffDeps,
  { actor, action, key, of, detail }: Recorded,
): Promise<void> {
  const { msisdn: id, merchantId, livemode, role } = key;
  const now = clock.now();
  const subject = { kind: 'phone', id, merchantId, livemode } as const;
  const writes = [staffActionWrite({ actor, action, subject, detail: { role, ...detail } }, now)];
  if (of) {
    const collection = { kind: 'collection', id: of.id, merchantId: of.merchantId, livemode } as const;
    const place = { role, merchant: merchantId ?? 'all' };
    // Another name than that of the block itself, which is found by it.
    const noted = { actor, action: `${action}_number`, subject: collection, detail: { ...place, ...detail } };
    writes.push(staffActionWrite(noted, now));
  }
  await collections.apply(writes);
}

/** Records the guess of an actor who may not see whole numbers: trying could find a blocked one. */
async function recordGuess({ collections, clock }: StaffDeps, actor: Actor, key: BlockKey): Promise<void> {
  if (can(actor, 'numbers.reveal') || can(actor, 'numbers.give')) return;
  const { msisdn: id, merchantId, livemode, role } = key;
  const subject = { kind: 'phone', id, merchantId, livemode } as const;
  const guess = { action: 'unblock', result: 'refused', isGuess: true } as const;
  await collections.apply([staffActionWrite({ actor, ...guess, subject, detail: { role } }, clock.now())]);
}

function answer(
  { msisdn, role, merchantId }: BlockKey,
  { actor, at, until, of }: Pick<Recorded, 'of'> & { actor: string; at: number; until: number | null },
): Answer {
  const show = (time: number) => new Date(time).toISOString();
  return {
    ok: true,
    value: {
      // Who typed the number has it; that of a collection is shown by `reveal` only.
      msisdn: of ? maskNumbers(msisdn) : msisdn,
      ...{ role, merchantId, actor, at: show(at), until: until === null ? null : show(until) },
    },
  };
}
