import { expect } from 'vitest';
import type { SeededPrograms } from '../../seed/seeded-programs.ts';
import type { Job, Worker } from './job-kit.ts';

const minute = 60_000;
const yesterday = '2026-03-12';

/** Approves the proposal with an amount in the inbox. */
async function approve({ page, link, click, sees }: Worker, amount: string): Promise<void> {
  await link(/^Proposals/);
  const approval = page
    .getByRole('article')
    .filter({ hasText: amount })
    .getByRole('button', { name: /^Approve/ });
  await click(approval);
  const done = page.getByText(/approved by/i);
  const again = page.getByRole('button', { name: /^Approve/ });
  await done.or(again).first().waitFor();
  // After five minutes, the first approval asks who it is, and the page comes back.
  if (!(await done.isVisible())) await click(again);
  await sees(/approved by/i);
}

/** Returns the statement of a day as the service of the ledger writes it, for a merchant of a name. */
async function readStatement({ run }: SeededPrograms, name: string): Promise<string> {
  const listed = await run(['service', 'merchants', 'list']);
  const [, id = ''] = new RegExp(`(mch_\\w+) +${name}`).exec(listed.out) ?? [];
  const written = await run(['service', 'statement', yesterday, '--merchant', id]);
  if (written.code !== 0) throw new Error(written.err);
  return written.out;
}

/** The jobs of docs/support.md by its numbers, in an order in which each one finds what it needs. */
export const jobs: readonly Job[] = [
  {
    name: '1. Find a payment by a phone number',
    maxClicks: 1,
    async run({ ama }) {
      await ama.search('024 412 3456');
      await ama.sees('4 payments, 1 paid');
      expect(await ama.page.locator('tbody tr:not(.day)').first().textContent()).toContain('INV-7041');
    },
  },
  {
    name: '1. Find it by the last four digits',
    maxClicks: 1,
    async run({ ama }) {
      await ama.search('3456');
      await ama.sees('4 of 4');
      expect(await ama.page.locator('tbody tr:not(.day)').first().textContent()).toContain('INV-7041');
    },
  },
  {
    name: '2. Find it by amount and time',
    maxClicks: 1,
    async run({ ama }) {
      await ama.search(`on:${yesterday} amount:5..15`);
      await ama.seesRow('10.10', '09:1');
      await ama.sees('Yesterday, Thursday 12 March');
    },
  },
  {
    name: '3. Find it by half a reference',
    maxClicks: 1,
    async run({ ama }) {
      await ama.search('INV-70');
      await ama.seesRow('INV-7041');
    },
  },
  {
    name: '4. Explain a payment',
    maxClicks: 1,
    async run({ ama }) {
      await ama.search('INV-7042');
      await ama.sees('The payer declined the prompt; no money was taken.');
      await ama.sees(
        'The prompt was declined, so nothing was paid. To pay, dial again and approve the prompt.',
      );
      await ama.sees('Pay GHS 147.00 to Abena Stores');
    },
  },
  {
    name: '5. Say why a payment is stuck, and until when',
    maxClicks: 1,
    async run({ ama }) {
      await ama.search('0507001904');
      await ama.sees(/^No result came in time/);
      await ama.sees(/watched until 20 March/);
    },
  },
  {
    name: '6. Check a payment now, twice',
    maxClicks: 4,
    async run({ ama }, { advance }) {
      await ama.search('0507001904');
      await ama.button('Check with the service now');
      await ama.sees('check again after');
      await advance(6 * minute);
      await ama.search('0507001904');
      await ama.button('Check with the service now');
      await ama.sees('Say to the caller');
    },
  },
  {
    name: '7. Handle money that no payment explains, with an approval',
    maxClicks: 9,
    async run({ ama, kofi }) {
      const { page } = ama;
      await ama.link(/^Unplaced money/);
      await ama.click(ama.row('148.47').getByRole('link'));
      const belongs = page.getByRole('region', { name: 'It belongs to a payment' });
      await ama.click(belongs.getByLabel(/11 March 09:58/));
      await ama.label('Evidence', 'the payer showed the SMS of the network', belongs);
      await ama.button('Propose', belongs);
      await page.getByRole('button', { name: 'Withdraw the proposal' }).waitFor();
      await approve(kofi, '148.47');
      await ama.search('INV-7042');
      await page.locator('#status').getByText('Paid').waitFor();
    },
  },
  {
    name: '8. Decide about a wrong amount, with an approval',
    maxClicks: 10,
    async run({ ama, kofi }) {
      const { page } = ama;
      await ama.search('0556181644');
      await ama.click(page.getByText('Propose a decision'));
      await ama.choose('Decision', 'returned');
      await ama.label('Evidence', 'the payer wants it back, call of 13 March');
      await ama.label('Reference of the transfer', 'TRF-2210');
      await ama.button('Propose');
      await ama.link('See the proposal');
      await page.getByRole('button', { name: 'Withdraw the proposal' }).waitFor();
      expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
      await approve(kofi, '59.67');
    },
  },
  {
    name: '9. "I never asked for this": who did',
    maxClicks: 6,
    async run({ ama }) {
      await ama.search('3456');
      await ama.click(ama.row('Declined', '026').first().getByRole('link'));
      await ama.sees(/^Another phone, .* requested this payment\. The payer declined the prompt/);
      await ama.click(ama.page.getByText('Show whole numbers'));
      await ama.label('Reason to see the whole numbers', 'the caller asks who requested it');
      await ama.button('Show for 5 minutes');
      await ama.sees('026 499 9757');
      await ama.search('0264999757');
      await ama.sees('For another phone 2');
    },
  },
  {
    name: '10. Block a number',
    maxClicks: 4,
    async run({ ama }) {
      await ama.link('Blocks');
      await ama.seesRow('026 ••• 9757');
      const block = ama.page.getByRole('region', { name: 'Block a phone' });
      await ama.label('Phone number', '0264999757', block);
      await ama.label('Reason', 'the payer never asked for the payment', block);
      await ama.button(/^Block/, block);
      await ama.seesRow('026 ••• 9757', 'the payer never asked for the payment');
    },
  },
  {
    name: '11. Note something, and hand a payment over',
    maxClicks: 8,
    async run({ ama }) {
      await ama.search('INV-7041');
      await ama.label('Add a note', 'the payer calls again on Monday');
      await ama.button('Add the note');
      await ama.sees('the payer calls again on Monday');
      await ama.click(ama.page.locator('#assign summary'));
      await ama.choose('To', 'esi');
      await ama.button('Hand over');
      await ama.search('assigned:esi');
      await ama.seesRow('INV-7041');
    },
  },
  {
    name: '12. Export a day, and its bookings',
    maxClicks: 6,
    async run({ ama }) {
      await ama.search(`on:${yesterday}`);
      expect(await ama.save('Export as CSV')).toBe('payments-2026-03-12.csv');
      await ama.link('Days');
      await ama.click(ama.row('Thursday 12 March').getByRole('link').first());
      await ama.page.getByRole('heading', { name: /Thursday 12 March/ }).waitFor();
      await ama.link('Show the bookings');
      await ama.seesRow('payers', '2,692.65', '34');
      expect(await ama.save('Export as CSV')).toBe('bookings-2026-03-12.csv');
    },
  },
  {
    name: '12. Explain a difference of the statement',
    maxClicks: 9,
    async run({ kofi }, programs) {
      const { page } = kofi;
      const csv = (await readStatement(programs, 'Volta Lodge')).replace('53.03', '54.03');
      await kofi.link('Days');
      await kofi.click(kofi.row('Thursday 12 March').getByRole('link').first());
      await kofi.choose('Merchant', 'volta-lodge');
      const file = { name: 'statement.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) };
      await kofi.upload('Statement of the service', file);
      await kofi.button('Import the statement');
      await kofi.seesRow('53.03', '54.03', 'another amount than the books');
      const differences = page.getByRole('region', { name: 'The difference of volta-lodge' });
      await kofi.label('Explanation', 'corrected by the service on 14 March', differences);
      await kofi.button('Accept the chosen differences');
      await kofi.seesRow('corrected by the service on 14 March');
    },
  },
  {
    name: '13. See who did what',
    maxClicks: 1,
    async run({ ama }) {
      await ama.link('Audit');
      await ama.seesRow('ama', 'note', 'text: the payer calls again on Monday');
      await ama.seesRow('kofi', 'approve', 'outcome: returned');
    },
  },
  {
    name: '14. Answer a caller without a payment',
    maxClicks: 1,
    async run({ esi }) {
      await esi.search('Customer 024-470 0256 called');
      await esi.sees('Your last call ended before you confirmed a payment, so nothing was paid.');
      await esi.seesRow('The caller chose No', 'Cancelled. Nothing was paid.');
    },
  },
  {
    name: '15. Find the payments of some hours',
    maxClicks: 1,
    async run({ esi }) {
      await esi.search('from:2026-03-12T09:00 to:2026-03-12T12:00 network:mtn');
      await esi.sees('Opened from 2026-03-12 09:00 to 2026-03-12 12:00');
      await esi.page.getByRole('heading', { name: /^Sums of these \d+ payments/ }).waitFor();
    },
  },
  {
    name: '9. "I never asked for this": what to say, and the other requests of that phone',
    maxClicks: 3,
    async run({ esi }) {
      await esi.search('024 412 3456');
      await esi.click(esi.row('requested by').first().locator('a.row'));
      await esi.sees(/^Another phone, .* requested this payment\. The payer declined the prompt/);
      await esi.sees(/^Another phone asked you to pay, and the prompt was declined\./);
      await esi.link('Requests of the phone that dialled');
      await esi.sees('026 ••• 9757');
    },
  },
  {
    name: '16. Refuse a proposal, and propose again',
    maxClicks: 18,
    async run({ ama, kofi }) {
      const propose = async (outcome: string, evidence: string, reference?: string) => {
        await kofi.search('INV-2573');
        await kofi.click(kofi.page.getByText('Propose a decision'));
        await kofi.choose('Decision', outcome);
        await kofi.label('Evidence', evidence);
        if (reference !== undefined) await kofi.label('Reference of the transfer', reference);
        await kofi.button('Propose');
        await kofi.page.getByRole('link', { name: 'See the proposal' }).waitFor();
      };
      await propose('accept', 'the payer says that it is enough');
      await ama.link(/^Proposals/);
      const inbox = ama.page.getByRole('article').filter({ hasText: 'the payer says that it is enough' });
      await ama.click(inbox.getByText('Refuse', { exact: true }));
      await ama.label('Reason for the refusal', 'the merchant wants the whole amount', inbox);
      await ama.button('Refuse the proposal', inbox);
      await ama.sees('Refused by ama');
      await kofi.link('Overview');
      await kofi.sees('the merchant wants the whole amount');
      await propose('returned', 'sent back to the payer on 13 March', 'TRF-2231');
    },
  },
];
