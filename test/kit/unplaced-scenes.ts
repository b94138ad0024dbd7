import { expect } from 'vitest';
import { callStaff, type StaffName } from './staff.ts';
import type { Till } from './till.ts';

/** What a decision about money rests on. */
export const evidence = 'statement of the service, line 12';

/** Delivers an event and waits until the worker has looked at it. */
export async function deliver(till: Till, event: object): Promise<void> {
  expect((await till.deliver(event)).status).toBe(200);
  await till.clock.advance(1_000);
}

/** Expects that the audit of the ledger finds nothing. */
export async function expectValid(till: Till): Promise<void> {
  expect(await till.verify()).toMatchObject({ ok: true, faults: [] });
}

/** Proposes a decision about the subject at `path` as one person, and approves it as another. */
export async function decide(till: Till, path: string, terms: object, approver: StaffName = 'kofi') {
  const made = await callStaff(till, 'ama', `${path}/proposals`, { evidence, ...terms });
  if (made.status !== 200) return made;
  return callStaff(till, approver, `/proposals/${made.body.id}/approve`, {});
}

/**
 * Confirms a payment whose create answers are lost, so that no collection knows its payment session.
 *
 * @returns the session, and a function that ends the loss: the collection then learns the session.
 */
export async function payUnanswered(
  till: Till,
  msisdn: string,
): Promise<{ session: string; answer(): void }> {
  till.faults.call = async (call, pass) => {
    const answer = await pass();
    if (call.name === 'create') throw new Error('the answer was lost');
    return answer;
  };
  await till.pay(msisdn);
  await till.clock.advance(2_000);
  const { sessions } = await till.service.statement();
  return {
    session: sessions.at(-1)?.sessionId ?? '',
    answer() {
      delete till.faults.call;
    },
  };
}
