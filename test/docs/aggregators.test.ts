import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { parse } from 'yaml';
import { aggregatorNames } from '../../src/aggregators/registry.ts';
import { channelSchema, configSchema } from '../../src/gateway/config/schema.ts';
import { aggregatorOf } from '../kit/dialects.ts';
import { generatedFiles, gradeOf, overviewFile, pageFile, settingsOf, written } from './document.ts';

const overview = readFileSync(overviewFile, 'utf8');
const channelSettings = readFileSync('docs/channels/settings.md', 'utf8');

test.each(generatedFiles)('the generated parts of %s are up to date', (file) => {
  const document = readFileSync(file, 'utf8');
  expect(written(document)).toBe(document);
});

test('each aggregator has a page and a row of the table, in the order of the registry', () => {
  const rows = [...overview.matchAll(/^\| \[`(.+)`\]\(aggregators\/(.+)\.md\)<br>/gm)];
  expect(rows.map(([, row]) => row)).toEqual(aggregatorNames);
  expect(rows.map(([, , page]) => page)).toEqual(aggregatorNames);
  expect(readdirSync('docs/aggregators').sort()).toEqual(aggregatorNames.map((name) => `${name}.md`).sort());
});

test('every folder of wire fixtures has a page', () => {
  const folders = readdirSync('fixtures/aggregators');
  expect(folders.filter((name) => !aggregatorNames.includes(name))).toEqual([]);
});

describe.each(aggregatorNames)('%s', (name) => {
  const page = readFileSync(pageFile(name), 'utf8');

  it('has its name, the name of the callback URL, samples and questions', () => {
    expect(page).toMatch(new RegExp(`^# ${name}\n`));
    expect(page).toMatch(/^Callback URL: .+$/m);
    expect(page).toMatch(new RegExp(`<!-- generated:samples ${name} -->\n\`\`\`text\n.+\n> `));
    expect(page).toMatch(/^Ask: .+$/m);
  });

  it('explains each of its own settings, with the default', () => {
    const missing = settingsOf(aggregatorOf(name)).filter(({ name: key, value }) => {
      const inProse = `\`${key}\` (default \`${value}\`)`;
      const inTable = new RegExp(`\`${key}\` \\|.*\\| ${value} \\|$`, 'm');
      if (value !== undefined) return !page.includes(inProse) && !inTable.test(page);
      return !page.includes(`\`${key}\``);
    });
    expect(missing).toEqual([]);
  });
});

test('every setting of a channel is explained', () => {
  const { shape } = channelSchema;
  const settings = Object.entries(shape).filter(([, one]) => one.safeParse(undefined).success);
  expect(settings.length).toBeGreaterThan(5);
  expect(settings.map(([key]) => key).filter((key) => !channelSettings.includes(`| \`${key}\` |`))).toEqual(
    [],
  );
  expect(channelSettings).toContain('`listen.trustedProxies`');
});

test('every example of a configuration is valid', () => {
  const files = [...readdirSync('docs/channels').map((name) => `docs/channels/${name}`), pageFile('generic')];
  const text = files.map((file) => readFileSync(file, 'utf8')).join('');
  const examples = [...text.matchAll(/^( *)```yaml\n(.*?)^ *```$/gms)].map(([, , example = '']) => example);
  expect(examples.length).toBeGreaterThanOrEqual(3);
  for (const example of examples) {
    const given = parse(example.replaceAll(/\$\{\w+\}/g, 'a-secret-of-22-letters-and-more'));
    const { channels } = configSchema.pick({ listen: true, channels: true }).parse(given);
    for (const { aggregator, settings } of channels) {
      expect(aggregatorOf(aggregator).settings.parse(settings ?? {})).toBeDefined();
    }
  }
});

test.each([
  ['confirmed (HUB-O1)', 'own document'],
  ['confirmed (UB-T)', 'public code'],
  ['confirmed (ARK-O1, ARK-L1)', 'own document, seen live'],
  ['confirmed (HUB-O1), the number as text unconfirmed', 'own document; in part not confirmed'],
  ['unconfirmed', 'not confirmed'],
  ['unconfirmed (made up)', 'made up'],
])('the source "%s" reads as "%s"', (source, grade) => {
  expect(gradeOf(source)).toBe(grade);
});
