import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { rehearse } from '../../src/testing/rehearse.ts';

/* The transcripts that ship: `npm run rehearse` plays them too, for who has changed a menu. */

const filesIn = (folder: string) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => `${folder}/${name}`);
const sessions = filesIn('fixtures/sessions');
const menus = filesIn('fixtures/menus');

test.each(sessions)('%s goes as it is written, screen by screen', async (file) => {
  const { faults, differences } = await rehearse(file);
  expect({ faults, differences }).toEqual({ faults: [], differences: [] });
});

describe.each(menus)('%s has a transcript', (menu) => {
  const statuses = sessions
    .map((file) => parse(readFileSync(file, 'utf8')) as { menu: string; steps: unknown[] })
    .filter((transcript) => basename(transcript.menu) === basename(menu))
    .flatMap(({ steps }) => steps as { expect?: { status: string } }[])
    .flatMap((step) => step.expect?.status ?? []);

  test.each(['paid', 'none'])('at whose end the payment is: %s', (status) => {
    expect(statuses).toContain(status);
  });
});
