import { symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../kit/folder.ts';
import { startMailServer } from '../kit/mail-server.ts';
import { createTill } from '../kit/till.ts';
import { dialtill, startCommand } from '../process/processes.ts';
import { snippetOf } from './snippets.ts';

test('the daily report is an e-mail with the figures of yesterday, and none when they cannot be read', async () => {
  const folder = temporaryFolder();
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  const file = join(folder, 'report.mjs');
  writeFileSync(file, snippetOf('docs/recipes.md', 'report.mjs'));
  const till = await createTill();
  await till.paidPayment('0244123456');
  const mail = await startMailServer();
  const report = (database: string) =>
    startCommand({ onTestFinished }, ['node', file, '--db', database], {
      env: {
        DIALTILL: dialtill().join(' '),
        SMTP_URL: `smtp://127.0.0.1:${mail.port}?ignoreTLS=true`,
        REPORT_FROM: 'till@shop.example',
        REPORT_TO: 'owner@shop.example',
      },
    });

  expect(await report(till.config.database.file ?? '').ended).toMatchObject({ code: 0 });
  await mail.arrived(1);
  const [text = ''] = mail.mails;
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  expect(text).toContain(`Subject: Payments of ${yesterday}`);
  expect(text).toContain('payments');
  expect(text).not.toMatch(/244123456/);

  expect(await report(join(folder, 'none.db')).ended).toMatchObject({ code: 1 });
  expect(mail.mails).toHaveLength(1);
});
