import { expect, test } from 'vitest';
import { getDetail } from '../../../src/gateway/console/reads.ts';
import { createAccount, createConsoleTill } from '../../kit/console.ts';
import { createScene, numbers } from './scene.ts';

const linesOf = (text: string) => text.trim().split('\r\n');

test('the audit is a list with filters and a file, without whole numbers, for those who may read it', async () => {
  const { people, pause } = await createScene();
  await pause();
  for (const role of ['agent', 'merchant'] as const)
    expect((await people[role].get('/audit.csv')).status, role).toBe(403);
  const page = await people.auditor.get('/audit');
  expect(page.text).toContain('/console/audit.csv');
  const file = await people.auditor.get('/audit.csv');
  expect(file.headers.get('content-disposition')).toMatch(/filename="audit-[\d-]+\.csv"/);
  const [head = '', ...lines] = linesOf(file.text);
  expect(head).toBe('"time","person","action","result","about","id","merchant","details"');
  // The newest action is the start of this export.
  expect(lines[0]).toContain('"start_export"');
  expect(lines.length).toBeGreaterThan(5);
  const digits = Object.values(numbers).map((number) => number.slice(-9));
  for (const one of digits) expect(file.text).not.toContain(one);

  const exported = linesOf((await people.auditor.get('/audit.csv?action=start_export')).text).slice(1);
  expect(exported).toHaveLength(2);
  const none = await people.auditor.get('/audit?person=nobody');
  expect(none.text).toContain('No action found.');
  expect(none.text).toContain('/console/audit.csv?person=nobody');
  expect(linesOf((await people.auditor.get('/audit.csv?person=nobody')).text)).toHaveLength(1);
});

test('the audit finds names and actions in any case, says when it finds none, and keeps digests whole', async () => {
  const till = await createConsoleTill();
  const browser = await (await createAccount(till, 'adwoa', 'auditor')).signIn();
  const { text } = await browser.get('/audit?person=Adwoa&action=Sign%20In');
  expect(text).toContain('<b>adwoa</b>');
  const none = await browser.get('/audit?person=nobody');
  expect(none.text).toContain('No action of “nobody”.');
  expect(none.text).toContain('show all actions');
  const digest = `0244123456${'a'.repeat(54)}`;
  expect(getDetail({ detail: JSON.stringify({ digest, payer: '0244123456' }) })).toBe(
    `digest: ${digest}, payer: 23324****456`,
  );
  expect(
    getDetail({ detail: JSON.stringify({ text: `x0244123456 ${'0'.repeat(30)}0244123456` }) }),
  ).toContain('23324****456');
});
