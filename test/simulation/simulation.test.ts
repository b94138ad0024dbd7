import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { consentOn, takeConsent } from './consent.ts';
import { features } from './features.ts';
import { bugs } from './planted/bugs.ts';
import { peerBugs } from './planted/peer-bugs.ts';
import { planOf, run } from './run.ts';
import { scanLine } from './scan.ts';
import type { Outcome, Plan } from './scene.ts';
import { shrink } from './shrink.ts';

/** Everything that can go wrong at once, but for what no gateway can stand together. */
const all: Plan = {
  ...planOf(4711, 0.25),
  features: features.filter((one) => one !== 'pushes_again' && one !== 'events_never'),
  payers: 4,
  visits: 12,
};

test('the same seed replays the same history, to the byte', async () => {
  const first = await run(all);
  const again = await run(all);
  expect(first.violations).toEqual([]);
  expect(again.hash).toBe(first.hash);
  expect(again.history).toEqual(first.history);
  expect(first.history.length).toBeGreaterThan(100);
});

test('another seed is another history', async () => {
  const [one, other] = [await run({ ...all, seed: 1 }), await run({ ...all, seed: 2 })];
  expect(one.hash).not.toBe(other.hash);
});

test('with every fault at once, payments are made, machines fall, and no invariant breaks', async () => {
  const { counts, violations } = await run({ ...all, visits: 30, hours: 12 });
  expect(violations).toEqual([]);
  const seen = (what: string) => counts[what] ?? 0;
  expect(seen('charges')).toBeGreaterThan(0);
  for (const fault of [
    'crash',
    'power cut',
    'disk failure',
    'disk full',
    'clock jump',
    'requests_lost',
    'answers_lost',
  ])
    expect(seen(`fault ${fault}`), fault).toBeGreaterThan(0);
});

/** An outcome as a run would give it, which fails where it says so. */
const outcome = (plan: Plan, rule: string | undefined): Outcome => ({
  plan,
  hash: '',
  history: [],
  counts: {},
  violations: rule === undefined ? [] : [{ rule, what: '', at: 0 }],
});

test('a failing plan is shrunk to what it takes to fail, and to no other failure', async () => {
  // Breaks I1 whenever both faults meet three visits; another rule breaks wherever one payer is alone.
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

test('of the yeses that a prompt may belong to, the one that says the most is taken; without any, I1 is broken', () => {
  const asked = {
    id: 'pay_1',
    merchant: 'shop',
    goodsMinor: 2_000,
    amountMinor: 2_020,
    msisdn: '233244000101',
  };
  const vague = consentOn('GHS 20.20 to shop was not paid.\n7. Send prompt again');
  const exact = consentOn('Pay GHS 20.00 to shop from 0244000101?\nA fee may apply.\n1. Yes');
  const payers = [{ consents: [vague] }, { consents: [exact] }];
  const broken: string[] = [];
  const violate = (rule: string) => void broken.push(rule);
  takeConsent(asked, payers, violate);
  expect([vague.isUsed, exact.isUsed]).toEqual([false, true]);
  takeConsent({ ...asked, id: 'pay_2' }, payers, violate);
  expect([vague.isUsed, broken]).toEqual([true, []]);
  takeConsent({ ...asked, id: 'pay_3' }, payers, violate);
  expect(broken).toEqual(['I1']);
});

test.each([
  ['{"msg":"paid by 233244000101"}', 'a phone number'],
  ['{"msg":"paid by 0244000101"}', 'a phone number'],
  ['{"key":"sk_test_simulated"}', 'a key'],
  ['{"msg":"whsec_x"}', 'a secret'],
  ['{"collection":"col_01kk169233244","at":1772773200000}', undefined],
  ['{"request":"req_01kk18zcv11dvjet0248248057"}', undefined],
])('the log is searched for what it must not hold: %s', (line, found) => {
  expect(scanLine(line)).toBe(found);
});

test('every bug that is planted has one line of the program to stand in', () => {
  const places = ({ file, find }: (typeof bugs)[number]) =>
    readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8').split(find).length - 1;
  const astray = [...bugs, ...peerBugs].filter((bug) => places(bug) !== 1);
  expect(astray.map(({ name }) => name)).toEqual([]);
});
