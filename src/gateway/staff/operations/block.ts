import type { z } from 'zod';
import type { blockAnswer, blockInput, unblockInput } from '../../../contract/staff.ts';
import { parseMsisdn } from '../../../shared/msisdn.ts';
import { staffActionWrite } from '../action-store.ts';
import type { BlockKey } from '../block-query.ts';
import { refuse, type StaffAnswer, type StaffCall, type StaffDeps } from '../operation.ts';

type Answer = StaffAnswer<z.infer<typeof blockAnswer>>;

/** Blocks a number until a time, or without an end. It replaces an earlier block of the same role at the same place. */
export async function blockNumber(
  deps: StaffDeps,
  { actor, input }: StaffCall<z.infer<typeof blockInput>>,
): Promise<Answer> {
  const key = keyOf(deps, input);
  if ('ok' in key) return key;
  const until = input.until === null ? null : Date.parse(input.until);
  const now = deps.clock.now();
  if (until !== null && until <= now)
    return refuse('invalid_request', 'until: expected a time in the future');
  await record(deps, { actor, action: 'block', key, detail: { reason: input.reason, until } });
  return answer(key, { actor, at: now, until });
}

/** Removes a block. */
export async function unblockNumber(
  deps: StaffDeps,
  { actor, input }: StaffCall<z.infer<typeof unblockInput>>,
): Promise<Answer> {
  const key = keyOf(deps, input);
  if ('ok' in key) return key;
  const now = deps.clock.now();
  if (!(await deps.blocks.find(key, now)))
    return refuse('not_found', 'the number has no such block: list them with "dialtill block list"');
  await record(deps, { actor, action: 'unblock', key, detail: { reason: input.reason } });
  return answer(key, { actor, at: now, until: null });
}

function keyOf(
  { hasMerchant, livemode }: StaffDeps,
  { msisdn: text, role, merchantId }: z.infer<typeof unblockInput>,
): BlockKey | StaffAnswer<never> {
  const msisdn = parseMsisdn(text);
  if (!msisdn) return refuse('invalid_request', 'msisdn: expected a Ghanaian number such as 0244123456');
  if (merchantId !== null && !hasMerchant(merchantId))
    return refuse('not_found', `no merchant ${merchantId} in the configuration`);
  return { msisdn, role, merchantId, livemode };
}

type Recorded = { actor: string; action: string; key: BlockKey; detail: Readonly<Record<string, unknown>> };

async function record(
  { collections, clock }: StaffDeps,
  { actor, action, key, detail }: Recorded,
): Promise<void> {
  const { msisdn: id, merchantId, livemode, role } = key;
  const subject = { kind: 'phone', id, merchantId, livemode } as const;
  await collections.apply([
    staffActionWrite({ actor, action, subject, detail: { role, ...detail } }, clock.now()),
  ]);
}

function answer(
  { msisdn, role, merchantId }: BlockKey,
  { actor, at, until }: { actor: string; at: number; until: number | null },
): Answer {
  const show = (time: number) => new Date(time).toISOString();
  const value = { msisdn, role, merchantId, actor, at: show(at), until: until === null ? null : show(until) };
  return { ok: true, value };
}
