import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTill, rehearse } from '../../src/testing/index.ts';
import { snippetOf } from '../docs/snippets.ts';
import { temporaryFolder } from '../kit/folder.ts';

/* Transcripts of the menu with opening hours in docs/menus.md, in the time zone of the merchant. */

const head = (time: string) => `menu: menus/office.yaml
merchant: Water Office
channel: { aggregator: africastalking, serviceCode: '*713*5#' }
msisdn: '0244123456'
timeZone: Africa/Lagos
time: '${time}'
steps:
  - dial: '*713*5#'
`;

const closed = `${head('2026-03-05T15:59:58Z')}  - end: |
      Water Office is open on weekdays, 8 to 12 and 1 to 5.
  - expect: { status: none }
`;

/** Dialled at 16:59:57 in Lagos; the input arrives after 17:00. */
const lastMinute = `${head('2026-03-05T15:59:54Z')}  - screen: |
      Water Office
      1. Top up GHS 20
      2. Weekday rate GHS 18
  - wait: 10s
  - send: '2'
  - screen: |
      Pay GHS 18.00 to Water Office?
      Fee GHS 0.18, total GHS 18.18
      1. Yes
      8. No
      0. Back
  - send: 'yes'
  - end: |
      Approve GHS 18.18 with your PIN.
  - prompt
  - approve: '1234'
  - expect: { status: paid, amount: 18.00 }
`;

function office(): string {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'menus'));
  writeFileSync(join(folder, 'menus/office.yaml'), snippetOf('docs/menus.md', 'office.yaml'));
  return folder;
}

test.each([
  ['closed', closed, 'no collection'],
  ['dialled in the last minute', lastMinute, 'paid'],
])('%s', async (_, transcript, status) => {
  const file = join(office(), 'office.session.yaml');
  writeFileSync(file, transcript);
  expect(await rehearse(file)).toMatchObject({ ok: true, errors: [], differences: [], status });
});

test('a till takes a time zone, and refuses an unknown one', async () => {
  const options = { menu: join(office(), 'menus/office.yaml'), time: '2026-03-05T16:30:00Z' };
  const till = await createTill({ ...options, timeZone: 'Africa/Accra' });
  const phone = till.phone('0244123456');
  await phone.dial();
  phone.expectScreen('Demo Shop\n1. Top up GHS 20\n2. Weekday rate GHS 18');
  await till.close();
  await expect(createTill({ ...options, timeZone: 'Ghana' })).rejects.toThrow(
    'timeZone: expected a time zone such as Africa/Accra',
  );
});
