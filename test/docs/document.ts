import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { Aggregator } from '../../src/aggregators/aggregator.ts';
import { aggregators } from '../../src/aggregators/registry.ts';
import { bodyText, type Fixture, loadFixtures } from '../../src/certify/fixture.ts';

/** The page with the table of all aggregators. */
export const overviewFile = 'docs/aggregators.md';

const shipped = Object.values(aggregators);

/** Returns the file of an aggregator's page. */
export function pageFile(name: string): string {
  return `docs/aggregators/${name}.md`;
}

/** The pages with generated parts. */
export const generatedFiles = [overviewFile, ...shipped.map(({ name }) => pageFile(name))];

/**
 * Returns the document with new generated parts: the table of all aggregators or the samples of one, from the aggregators' facts and
 * their wire fixtures. Everything else is unchanged.
 */
export function written(document: string): string {
  const parts = /(<!-- generated:(\w+)(?: ([a-z0-9-]+))? -->\n).*?(<!-- \/generated -->)/gs;
  return document.replace(parts, (_, open: string, what: string, name: string | undefined, close: string) => {
    return `${open}${what === 'table' ? table() : samples(name ?? '')}${close}`;
  });
}

function table(): string {
  const columns = [
    'aggregator',
    'name of the callback URL',
    'own settings',
    'screen',
    'reply within',
    'prompt delay',
    'repeats',
    'end notices',
  ];
  const rows = shipped.map((one) => [
    `[\`${one.name}\`](aggregators/${one.name}.md)<br>${one.title}`,
    `${enteredAs(readFileSync(pageFile(one.name), 'utf8'))} (${isDescribed(one) ? asDescribed : one.method})`,
    ownSettings(one),
    screen(one),
    seconds(one.replyWithinMs),
    one.promptDelayMs === 0 ? '–' : seconds(one.promptDelayMs),
    repeats(one),
    notices(one),
  ]);
  return [columns, columns.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}

/** Returns the aggregator's name of the field for the callback URL, from its page. */
function enteredAs(page: string): string {
  return /^Callback URL: (.+?)\.?$/m.exec(page)?.[1] ?? '';
}

type Schema = z.core.JSONSchema.BaseSchema;

function schemaOf({ settings }: Aggregator): Schema {
  return z.toJSONSchema(settings, { io: 'input', unrepresentable: 'any' });
}

/** Returns an aggregator's own settings, nested ones too, with their default if it is a scalar. */
export function settingsOf(one: Aggregator): { name: string; value: unknown }[] {
  const found = (schema: Schema | boolean): { name: string; value: unknown }[] => {
    if (typeof schema === 'boolean') return [];
    const { properties = {}, anyOf = [], oneOf = [] } = schema;
    const own = Object.entries(properties).flatMap(([name, inner]) => [
      {
        name,
        value: typeof inner === 'boolean' || typeof inner.default === 'object' ? undefined : inner.default,
      },
      ...found(inner),
    ]);
    return [...own, ...[...anyOf, ...oneOf].flatMap(found)];
  };
  return found(schemaOf(one));
}

const severalSettings = 4;
const asDescribed = 'as described';

/** Returns whether the channel's settings describe the whole aggregator. */
function isDescribed(one: Aggregator): boolean {
  return settingsOf(one).length > severalSettings;
}

function ownSettings(one: Aggregator): string {
  if (isDescribed(one)) return `[its description](aggregators/${one.name}.md)`;
  return (
    settingsOf(one)
      .map(({ name }) => code(name))
      .join('<br>') || '–'
  );
}

function screen({ style }: Aggregator): string {
  const forbidden = Array.from(style.forbidden, code).join(' ');
  return [
    `${style.limit} septets`,
    ...(forbidden === '' ? [] : [`not ${forbidden}`]),
    ...(style.lineBreak === '\n' ? [] : [`line break ${code(style.lineBreak)}`]),
  ].join('<br>');
}

function repeats(one: Aggregator): string {
  if (isDescribed(one)) return asDescribed;
  const { name, sequenced } = one;
  const requests = loadFixtures(name).flatMap(({ reading }) => (reading.kind === 'request' ? reading : []));
  if (requests.some(({ entry }) => entry.kind === 'cumulative')) return 'by text';
  const marked = requests.some(({ mark }) => mark !== undefined);
  if (sequenced) return 'by number';
  return marked ? 'by id, else by time' : 'by time';
}

function notices(one: Aggregator): string {
  if (isDescribed(one)) return asDescribed;
  const endNotices = loadFixtures(one.name).filter(({ reading }) => reading.kind === 'notice');
  if (endNotices.length === 0) return 'none';
  return endNotices.every(({ source }) => gradeOf(source) === guess) ? guess : 'yes';
}

function seconds(ms: number): string {
  return `${ms / 1000} s`;
}

/** Returns inline code for a table. */
function code(text: string): string {
  const inTable = text.replace('\r', '\\r').replace('\n', '\\n').replaceAll('|', '\\|');
  return text.includes('`') ? `\`\` ${inTable} \`\`` : `\`${inTable}\``;
}

/** The fixtures that the samples show, if the aggregator has them. */
const shown = ['dial', 'typed', 'end', 'end-notice'];

function samples(name: string): string {
  if (!aggregators[name]) return '';
  const fixtures = loadFixtures(name);
  const blocks = shown.flatMap((one) =>
    fixtures.filter(({ file }) => file === `${name}/${one}.json`).map(sample),
  );
  return `\`\`\`text\n${blocks.join('\n')}\`\`\`\n`;
}

function sample({ about, source, request, answer }: Fixture): string {
  const query = new URLSearchParams(request.query).toString();
  const path = request.path === '' ? '' : `/${request.path}`;
  const sent = [
    `${request.method} …${path}${query === '' ? '' : `?${query}`}`,
    ...lines(bodyText(request.body)),
  ];
  const got = lines(bodyText(answer.body));
  return [
    `${about} (${gradeOf(source)})`,
    ...sent.map((line) => `> ${line}`),
    ...got.map((line) => `< ${line}`),
    '',
  ].join('\n');
}

function lines(text: string): string[] {
  return text === '' ? [] : text.split('\n');
}

const guess = 'not confirmed';

/** How sure a fixture's source is, in plain words. In a key, O is the owner's own document, L a live capture. */
export function gradeOf(source: string): string {
  const kinds = [...source.matchAll(/\b[A-Z]+-([OTL])\d*\b/g)].map(([, kind]) => kind);
  const grades = [
    ...(kinds.includes('O') ? ['own document'] : []),
    ...(kinds.includes('L') ? ['seen live'] : []),
    ...(kinds.includes('T') ? ['public code'] : []),
  ];
  if (/made up/.test(source)) return 'made up';
  if (grades.length === 0) return guess;
  return /unconfirmed/.test(source) ? `${grades.join(', ')}; in part not confirmed` : grades.join(', ');
}
