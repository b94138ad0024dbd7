import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { type ReviewDeps, registerReview } from '../../src/cli/commands/review.ts';
import { type StaffName, withStaff } from '../kit/staff.ts';
import { runAs } from '../kit/staff-command.ts';
import { createTill, paidEvent, type Till } from '../kit/till.ts';

const payer = '0244123456';
const _url = 'http://127.0.0.1:8080';

/** Runs `dialtill review …` as a person. `typed` answers a question in a terminal. */
async function review(till: Till, name: StaffName, args: readonly string[], typed?: string) {
  const input = new PassThrough();
  const stdin: ReviewDeps['stdin'] = Object.assign(input, { isTTY: typed !== undefined });
  if (typed !== undefined) input.write(`${typed}\n`);
  return runAs(
    till,
    name,
    ['review', ...args],
    (program, deps) => registerReview(program, { ...deps, stdin }),
    { tty: typed !== undefined },
  );
}

async function halfPaid() {
  const till = await createTill({ configure: withStaff });
  till.loseWebhooks();
  const row = await till.prompted(payer);
  await till.deliverHandled(paidEvent(row, 'evt_half', { amount_minor: 1_020 }));
  return { till, id: row.id };
}

const evidence = ['--evidence', 'statement, line 12'];

test('two people decide a review by list, show, propose and approve', async () => {
  const { till, id } = await halfPaid();
  const listed = await review(till, 'ama', ['list']);
  expect(listed.out).toMatch(new RegExp(`${id} +demo-shop +review +amount_mismatch +GHS 10.20 suspense`));
  expect(listed.out).toMatch(/^collection .* opened \(UTC\) +decision\n.* 2026-03-06 09:00:[\d.]+ +-\n/);
  const shown = await review(till, 'ama', ['show', id]);
  expect(shown.out).toContain(
    'accept    release suspense -GHS 10.20, release merchant:demo-shop GHS 10.00, release service_fees GHS 0.20',
  );
  const made = await review(till, 'ama', ['propose', id, '--outcome', 'accept', ...evidence]);
  expect(made.out).toMatch(/^proposed prp_\w+: accept by ama at .*: statement, line 12\n/);
  const proposal = /prp_\w+/.exec(made.out)?.[0] ?? '';
  const approved = await review(till, 'kofi', ['approve', proposal, '--yes']);
  expect(approved.out).toMatch(/postings: release suspense[^\n]*\napproved prp_\w+ on col_/);
  expect(await till.only(payer)).toMatchObject({ status: 'paid', booked: 'released' });
  expect((await review(till, 'ama', ['list'])).out).toBe('no collections in review\n');
});

test('approve prints the postings and asks; without a terminal or with another answer, nothing is approved', async () => {
  const { till, id } = await halfPaid();
  const made = await review(till, 'ama', ['propose', id, '--outcome', 'not_paid', ...evidence, '--json']);
  const proposal = String(JSON.parse(made.out).id);
  const piped = await review(till, 'kofi', ['approve', proposal]);
  expect([piped.code, piped.err]).toEqual([1, expect.stringContaining('add --yes')]);
  const denied = await review(till, 'kofi', ['approve', proposal], 'n');
  expect([denied.code, denied.out]).toEqual([1, expect.stringContaining('return payers GHS 10.20')]);
  expect(await till.only(payer)).toMatchObject({ status: 'review' });
  expect((await review(till, 'kofi', ['approve', proposal], 'yes')).code).toBe(0);
  expect(await till.only(payer)).toMatchObject({ status: 'failed', booked: 'returned' });
});

test('the own proposal, an unknown one, and unseen facts are refused with what to do', async () => {
  const { till, id } = await halfPaid();
  const made = await review(till, 'ama', ['propose', id, '--outcome', 'accept', ...evidence, '--json']);
  const proposal = String(JSON.parse(made.out).id);
  const own = await review(till, 'ama', ['approve', proposal, '--yes']);
  expect([own.code, own.err]).toEqual([1, expect.stringContaining('another person must approve')]);
  const unknown = await review(till, 'kofi', ['approve', 'prp_1', '--yes']);
  expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining('dialtill review proposals')]);
  const old = await review(till, 'kofi', [
    ...['propose', id, '--outcome', 'accept', ...evidence, '--version', '2'],
  ]);
  expect([old.code, old.err]).toEqual([1, expect.stringContaining('facts arrived since version 2')]);
  const refused = await review(till, 'kofi', ['refuse', proposal, '--reason', 'another amount']);
  expect(refused.out).toBe(`refused ${proposal}\n`);
});
