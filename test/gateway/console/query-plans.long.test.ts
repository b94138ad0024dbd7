import { expect, test } from 'vitest';
import { accountRoles } from '../../../src/contract/staff/account.ts';
import { queryPlansOf } from '../../kit/query-plans.ts';
import { unboundedScans } from './bounded-scans.ts';
import { crawl, plainPaths } from './crawl.ts';
import { createScene, numbers } from './scene.ts';

/** Lists with filters and searches, which no page links. */
const lists = [
  '?status=paid',
  '?status=created&min=1',
  '?reason=declined',
  '?merchant=demo-shop&channel=africastalking',
  '?network=mtn&from=2026-03-01&to=2026-03-31',
  '?assigned=ama',
  '?last4=3456',
  '?min=1&max=100',
].map((query) => `/payments${query}`);

test('no page, search or file of the console reads more than a bounded part of a table', async () => {
  const scene = await createScene();
  const { till, people } = scene;
  // SQLite plans without statistics, so that a ledger of any size has these plans.
  const plans = await queryPlansOf(till.config.database.file, async () => {
    for (const role of accountRoles)
      await crawl((path) => scene.ask(people[role], path), [...plainPaths, ...lists]);
    for (const q of [...Object.values(numbers), '3456', 'KA10', 'INV-12', '20.50', 'col_01k8n2rm']) {
      await scene.pause();
      await people.lead.post('/search', { q });
      await people.merchant.post('/search', { q });
      await scene.pause();
      const found = await people.lead.post('/unplaced/search', { q });
      if (found.location) await people.lead.get(found.location.slice('/console'.length));
    }
  });
  expect(plans.length).toBeGreaterThan(60);
  expect(unboundedScans(plans)).toEqual([]);
  // An index of the action has every assignment that was ever made. Only the search of a person's payments reads it, once.
  const assignees = plans.filter(({ sql }) => sql.includes(`->> '$.to'`)).flatMap(({ steps }) => steps);
  expect(new Set(assignees.filter((step) => step.includes('INDEX staff_action')))).toEqual(
    new Set([
      'SEARCH staff_action USING INDEX staff_action_subject (subject_id=?)',
      'SEARCH one USING INDEX staff_action_action (action=?)',
      'SEARCH later USING INDEX staff_action_subject (subject_id=? AND seq>?)',
    ]),
  );
});
