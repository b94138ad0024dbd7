import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { parse } from 'yaml';
import { aggregatorNames } from '../../src/aggregators/registry.ts';
import { channelSchema, configSchema } from '../../src/gateway/config/schema.ts';
import { aggregatorOf } from '../kit/dialects.ts';
import { documentFile, gradeOf, sectionOf, settingsOf, written } from './document.ts';

const document = readFileSync(documentFile, 'utf8');

/** The headings of the aggregators' sections. */
const headings = (document.split(/^## Each aggregator$/m)[1]?.split(/^## /m)[0] ?? '').matchAll(
  /^### (.+)$/gm,
);
const sections = [...headings].map(([, name]) => name);

test('the generated parts of the document are up to date', () => {
  expect(written(document)).toBe(document);
});

test('there is exactly one section for each aggregator, in the order of the table', () => {
  expect(sections).toEqual(aggregatorNames);
});

test('every folder of wire fixtures has a section', () => {
  const folders = readdirSync('fixtures/aggregators');
  expect(folders.filter((name) => !sections.includes(name))).toEqual([]);
});

describe.each(aggregatorNames)('%s', (name) => {
  const section = sectionOf(document, name);

  it('has a row in the table that links to its section', () => {
    const rows = [...document.matchAll(/^\| \[`(.+)`\]\(#(.+)\)<br>/gm)].map(([, row, anchor]) => [
      row,
      anchor,
    ]);
    expect(rows).toContainEqual([name, name]);
  });

  it('has the name of the callback URL, samples and questions', () => {
    expect(section).toMatch(/^Callback URL: .+$/m);
    expect(section).toMatch(new RegExp(`<!-- generated:samples ${name} -->\n\`\`\`text\n.+\n> `));
    expect(section).toMatch(/^Ask: .+$/m);
  });

  it('explains each of its own settings, with the default', () => {
    const missing = settingsOf(aggregatorOf(name)).filter(({ name: key, value }) => {
      const inProse = `\`${key}\` (default \`${value}\`)`;
      const inTable = new RegExp(`\`${key}\` \\|.*\\| ${value} \\|$`, 'm');
      if (value !== undefined) return !section.includes(inProse) && !inTable.test(section);
      return !section.includes(`\`${key}\``);
    });
    expect(missing).toEqual([]);
  });
});

test('every setting of a channel is explained', () => {
  const part = document.split(/^## Channel settings$/m)[1]?.split(/^## /m)[0] ?? '';
  const { shape } = channelSchema;
  const settings = Object.entries(shape).filter(([, one]) => one.safeParse(undefined).success);
  expect(settings.length).toBeGreaterThan(5);
  expect(settings.map(([key]) => key).filter((key) => !part.includes(`| \`${key}\` |`))).toEqual([]);
  expect(part).toContain('`listen.trustedProxies`');
});

test('every example of a configuration is valid', () => {
  const examples = [...document.matchAll(/^( *)```yaml\n(.*?)^ *```$/gms)].map(([, , text = '']) => text);
  expect(examples.length).toBeGreaterThanOrEqual(3);
  for (const example of examples) {
    const given = parse(example.replaceAll(/\$\{\w+\}/g, 'a-secret-of-22-letters-and-more'));
    const { channels } = configSchema.pick({ listen: true, channels: true }).parse(given);
    for (const { aggregator, settings } of channels) {
      expect(aggregatorOf(aggregator).settings.parse(settings ?? {})).toBeDefined();
    }
  }
});

test('every link within the document has a target', () => {
  const anchors = [...document.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^a-z0-9 -]/g, '')
      .replaceAll(' ', '-'),
  );
  const links = [...document.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor]) => anchor);
  expect(links.length).toBeGreaterThan(aggregatorNames.length);
  expect(links.filter((anchor) => !anchors.includes(anchor ?? ''))).toEqual([]);
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
