import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { rehearse } from '../../src/testing/rehearse.ts';

/* The included transcripts. `npm run rehearse` plays them too. */

const filesIn = (folder: string) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => `${folder}/${name}`);
const sessions = filesIn('fixtures/sessions');
const menus = filesIn('fixtures/menus');

test.each(sessions)('%s has no differences', async (file) => {
  const { errors, differences } = await rehearse(file);
  expect({ errors, differences }).toEqual({ errors: [], differences: [] });
});

describe.each(menus)('%s has a transcript', (menu) => {
  const statuses = sessions
    .map((file) => parse(readFileSync(file, 'utf8')) as { menu: string; steps: unknown[] })
    .filter((transcript) => basename(transcript.menu) === basename(menu))
    .flatMap(({ steps }) => steps as { expect?: { status: string } }[])
    .flatMap((step) => step.expect?.status ?? []);

  test.each(['paid', 'none'])('with the final status %s', (status) => {
    expect(statuses).toContain(status);
  });
});
