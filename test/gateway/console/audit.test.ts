import { expect, test } from 'vitest';
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
  expect(none.text).toContain('0 actions');
  expect(none.text).toContain('/console/audit.csv?person=nobody');
  expect(linesOf((await people.auditor.get('/audit.csv?person=nobody')).text)).toHaveLength(1);
});
