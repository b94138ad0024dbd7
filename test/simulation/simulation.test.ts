import { expect, test } from 'vitest';
import { locateBug, readSources } from '../kit/plant.ts';
import { readConfirmation, useConfirmation } from './confirmation.ts';
import { findSecret } from './log-scan.ts';
import { bugs } from './planted/bugs.ts';
import { peerBugs } from './planted/peer-bugs.ts';
import { severalBugs } from './planted/several-bugs.ts';
import { allFeatures as all } from './run-test-seeds.ts';
import type { Outcome, Plan } from './scene.ts';
import { shrink } from './shrink.ts';

/** Creates the outcome of a run that breaks `rule`, or none. */
const outcome = (plan: Plan, rule: string | undefined): Outcome => ({
  plan,
  hash: '',
  history: [],
  counts: {},
  violations: rule === undefined ? [] : [{ rule, what: '', at: 0 }],
});

test('a failing plan is reduced to the smallest plan that breaks the same rule', async () => {
  // I1 breaks with both faults and three visits; another rule breaks with one payer.
  const play = async (plan: Plan) => {
    const has = (one: Plan['features'][number]) => plan.features.includes(one);
    const breaks = has('crashes') && has('answers_lost') && plan.visits >= 3;
    return outcome(plan, breaks && plan.payers > 1 ? 'I1' : plan.payers === 1 ? 'I9' : undefined);
  };
  const failed = await play({ ...all, hours: 24 });
  const { plan } = await shrink(failed, play);
  expect({ ...plan, features: [...plan.features].sort() }).toEqual({
    ...all,
    features: ['answers_lost', 'crashes'],
    visits: 3,
    payers: 2,
    hours: 1,
  });
});

test('a prompt uses the most specific matching confirmation; without any, I1 is broken', () => {
  const asked = {
    id: 'pay_1',
    merchant: 'shop',
    goodsMinor: 2_000,
    feeMinor: 20,
    amountMinor: 2_020,
    msisdn: '233244000101',
  };
  const vague = readConfirmation('GHS 20.20 to shop was not paid.\n7. Send prompt again');
  const exact = readConfirmation('Pay GHS 20.00 to shop from 0244000101?\nA fee may apply.\n1. Yes');
  const payers = [{ confirmations: [vague] }, { confirmations: [exact] }];
  const broken: string[] = [];
  const violate = (rule: string) => void broken.push(rule);
  useConfirmation(asked, payers, violate);
  expect([vague.isUsed, exact.isUsed]).toEqual([false, true]);
  useConfirmation({ ...asked, id: 'pay_2' }, payers, violate);
  expect([vague.isUsed, broken]).toEqual([true, []]);
  useConfirmation({ ...asked, id: 'pay_3' }, payers, violate);
  expect(broken).toEqual(['I1']);
});

test.each([
  ['{"msg":"paid by 233244000101"}', 'a phone number'],
  ['{"msg":"paid by 0244000101"}', 'a phone number'],
  ['{"key":"sk_test_simulated"}', 'a key'],
  ['{"msg":"whsec_x"}', 'a secret'],
  ['{"collection":"col_01kk169233244","at":1772773200000}', undefined],
  ['{"request":"req_01kk18zcv11dvjet0248248057"}', undefined],
])('the log scan finds secrets: %s', (line, found) => {
  expect(findSecret(line)).toBe(found);
});

test('every planted bug matches exactly one place of the program', () => {
  const sources = readSources('.');
  for (const bug of [...bugs, ...peerBugs, ...severalBugs]) expect(locateBug(bug, sources)).toMatch(/^src\//);
});
