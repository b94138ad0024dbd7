import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { aggregators } from '../../src/aggregators/registry.ts';
import { loadConfig } from '../../src/gateway/config/load.ts';
import { temporaryFolder } from '../kit/folder.ts';
import { grownMenus, snippetOf } from './snippets.ts';

const env = {
  ABENA_KEY: 'sk_test_abena',
  ABENA_WEBHOOK_SECRET: 'a-webhook-secret-of-24-characters',
  ABENA_NALO_SECRET: 'a-path-secret-of-22-or-more',
};

test('the minimal configuration of the README loads with the first menu of the tutorial', () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'menu.yaml'), stringify(grownMenus('docs/tutorial.md', 'menu.yaml')[0]));
  writeFileSync(join(folder, 'dialtill.yaml'), snippetOf('README.md', 'dialtill.yaml'));
  const config = loadConfig(join(folder, 'dialtill.yaml'), env, aggregators);
  expect(config).toMatchObject({ environment: 'test', merchants: [{ id: 'abena' }] });
});

test('README and configuration.md show the same minimal configuration', () => {
  const [first, second] = ['README.md', 'docs/configuration.md'].map((file) =>
    parse(snippetOf(file, 'dialtill.yaml')),
  );
  expect(first).toEqual(second);
});
