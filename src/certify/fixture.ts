import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { z } from 'zod';
import type { Aggregator, RequestReading } from '../aggregators/aggregator.ts';
import { errorMessage, UserError } from '../shared/errors.ts';
import { fitScreen } from '../shared/screen-text.ts';
import { endings } from '../shared/ussd.ts';
import type { Problem, ReplayedFixture } from './certification.ts';

/** A body: a text, or an object that is sent as JSON without blanks. */
const body = z.union([z.string(), z.record(z.string(), z.unknown())]);

const suffix = z.array(z.string());
const entry = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('dialled'), suffix }),
  z.strictObject({
    kind: z.literal('typed'),
    input: z.string(),
    suffix: suffix.optional(),
    isFirst: z.literal(true).optional(),
  }),
  z.strictObject({ kind: z.literal('cumulative'), text: z.string(), suffix: suffix.optional() }),
]);

const reading = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('request'),
    session: z.string(),
    dialler: z.string(),
    operator: z.string(),
    unlistedNetwork: z.string().optional(),
    entry,
    mark: z.string().optional(),
    ussdRef: z.string().optional(),
  }),
  z.strictObject({ kind: z.literal('notice'), session: z.string(), ending: z.enum(endings) }),
  z.strictObject({ kind: z.literal('probe'), session: z.string() }),
  z.strictObject({ kind: z.literal('unreadable') }),
]);

const fixtureSchema = z.strictObject({
  /** The purpose of the fixture, in one sentence. */
  about: z.string().min(10).max(200),
  /** The grade and the source: `confirmed (ARK-O1)`, `unconfirmed`. */
  source: z.string().min(3).max(120),
  serviceCode: z.string(),
  /** The channel's settings for the aggregator. A text is the id of a described channel. */
  settings: z.union([z.record(z.string(), z.unknown()), z.string()]).optional(),
  request: z.strictObject({
    method: z.enum(['POST', 'GET', 'PUT']).default('POST'),
    /** The part of the path after the callback URL. */
    path: z.string().default(''),
    query: z.record(z.string(), z.string()).default({}),
    contentType: z.string().default(''),
    body: body.default(''),
  }),
  /** The expected reading of the request. */
  reading,
  /** The gateway's reply, before it is fitted to the screen. */
  reply: z.strictObject({ kind: z.enum(['continue', 'end']), text: z.string() }),
  /** The expected answer on the wire. */
  answer: z.strictObject({ contentType: z.string(), body }),
});

/** The fixtures that every aggregator must have, by file name without `.json`. */
export const basicFixtures = ['dial', 'typed', 'end', 'long-screen', 'odd-spellings', 'unreadable'] as const;

/** One exchange with an aggregator, byte for byte. `file` is `<aggregator>/<name>.json`. */
export type Fixture = Omit<z.output<typeof fixtureSchema>, 'settings'> & {
  file: string;
  settings?: Readonly<Record<string, unknown>> | undefined;
  /** The channel's line break, if it is not the aggregator's. */
  lineBreak?: string | undefined;
};

const packagedFixtures = fileURLToPath(new URL('../../fixtures/aggregators', import.meta.url));

/** Loads the wire fixtures of an aggregator, ordered by file name. @throws UserError when the folder has no fixtures, or one is invalid. */
export function loadFixtures(aggregator: string, folder: string = packagedFixtures): Fixture[] {
  const files = listFixtures(join(folder, aggregator));
  if (files.length === 0)
    throw new UserError(`${join(folder, aggregator)}: expected wire fixtures (*.json), found none`);
  return files.map((name) => {
    const file = join(folder, aggregator, name);
    try {
      const { settings, ...fixture } = fixtureSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
      const channel = typeof settings === 'string' ? describedChannel(settings) : { settings };
      return { ...fixture, ...channel, file: `${aggregator}/${name}` };
    } catch (cause) {
      const other = cause instanceof UserError ? cause.message : 'expected JSON';
      const reason = cause instanceof z.ZodError ? z.prettifyError(cause) : other;
      throw new UserError(`${file}: ${reason}`, { cause });
    }
  });
}

function describedChannel(id: string): Pick<Fixture, 'settings' | 'lineBreak'> {
  const channel = loadDescribedChannels().find((one) => one.id === id);
  if (!channel) throw new UserError(`settings: expected a described channel, found ${id}`);
  const { settings, lineBreak } = channel;
  return { settings, lineBreak };
}

function listFixtures(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .sort();
  } catch {
    return [];
  }
}

/** Returns a body as it is sent. */
export function bodyText(given: z.output<typeof body>): string {
  return typeof given === 'string' ? given : JSON.stringify(given);
}

const packagedFile = fileURLToPath(new URL('../../fixtures/channels/described.yaml', import.meta.url));

const channel = z.looseObject({
  id: z.string(),
  aggregator: z.literal('generic'),
  serviceCode: z.string(),
  lineBreak: z.string().optional(),
  settings: z.record(z.string(), z.unknown()),
});

/** A channel of `generic` that describes a real aggregator. The gateway's configuration has the same keys. */
type DescribedChannel = z.output<typeof channel>;

/** Returns the described aggregators that are certified like the built-in ones. */
export function loadDescribedChannels(): DescribedChannel[] {
  return z.object({ channels: z.array(channel) }).parse(parse(readFileSync(packagedFile, 'utf8'))).channels;
}

type ReplayedFixtures = { fixtures: ReplayedFixture[]; problems: Problem[] };

/** Replays all wire fixtures of an aggregator. @param folder the folder of all fixtures (default: the folder of this package). */
export function replayFixtures(aggregator: Aggregator, folder?: string): ReplayedFixtures {
  let fixtures: Fixture[];
  try {
    fixtures = loadFixtures(aggregator.name, folder);
  } catch (fault) {
    if (!(fault instanceof UserError)) throw fault;
    return { fixtures: [], problems: [{ field: 'fixtures', message: fault.message }] };
  }
  const files = new Set(fixtures.map(({ file }) => file));
  const missing = basicFixtures
    .map((name) => `${aggregator.name}/${name}.json`)
    .filter((file) => !files.has(file));
  return {
    fixtures: fixtures.map((fixture) => ({
      file: fixture.file,
      about: fixture.about,
      problems: listProblems(fixture, aggregator),
    })),
    problems: missing.map((file) => ({ field: 'fixtures', message: `expected ${file}, got no such file` })),
  };
}

function listProblems(fixture: Fixture, aggregator: Aggregator): Problem[] {
  try {
    return replayFixture(fixture, aggregator).map(({ field, expected, got }) => ({
      field,
      message: `expected ${format(expected)}, got ${format(got)}`,
    }));
  } catch (fault) {
    // The aggregator rejects the fixture's settings, or its dialect throws.
    return [
      { field: 'fixture', message: `expected a fixture that can be replayed, got: ${errorMessage(fault)}` },
    ];
  }
}

function format(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value);
}

/** The time of the reply in all fixtures. */
const repliedAt = Date.parse('2026-03-06T09:00:00.000Z');

/** Reads the fixture's request and writes its reply through the aggregator's dialect, and returns every difference. */
export function replayFixture(fixture: Fixture, aggregator: Aggregator): Difference[] {
  const { serviceCode, request, reply, answer, lineBreak = aggregator.style.lineBreak } = fixture;
  const settings = aggregator.settings.parse(fixture.settings ?? {});
  const dialect = aggregator.createDialect({ serviceCode, operators: new Map(), settings });
  const { query, path } = request;
  const reading = dialect.decode({ body: bodyText(request.body), query, path });
  const text = fitScreen(reply.text, { ...aggregator.style, lineBreak });
  const written = dialect.encode({ ...reply, text }, reading, repliedAt);
  return [
    ...differences('reading', fixture.reading, withoutFields(reading)),
    ...differences('answer.contentType', answer.contentType, written.contentType),
    ...bodyDifferences('answer.body', bodyText(answer.body), written.body),
  ];
}

/** Returns a reading in the form of the fixtures, without the fields of the request. */
function withoutFields(reading: RequestReading): Record<string, unknown> {
  switch (reading.kind) {
    case 'request':
      return { kind: reading.kind, ...reading.request };
    case 'notice':
      return { kind: reading.kind, session: reading.session, ending: reading.ending };
    case 'probe':
      return { kind: reading.kind, session: reading.session };
    case 'unreadable':
      return { kind: reading.kind };
  }
}

/** One field whose value differs from the expected one. */
type Difference = { field: string; expected: unknown; got: unknown };

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** Returns every field in which two JSON values differ, by its path below `field`. */
function differences(field: string, expected: unknown, got: unknown): Difference[] {
  if (isObject(expected) && isObject(got) && Array.isArray(expected) === Array.isArray(got)) {
    const names = [...new Set([...Object.keys(expected), ...Object.keys(got)])];
    return names.flatMap((name) => differences(`${field}.${name}`, expected[name], got[name]));
  }
  return Object.is(expected, got) ? [] : [{ field, expected, got }];
}

/** Returns the differences of two bodies: by field if both are JSON objects, otherwise as a whole. */
export function bodyDifferences(field: string, expected: string, got: string): Difference[] {
  if (expected === got) return [];
  const found = differences(field, parseObject(expected), parseObject(got));
  // Equal fields in different bytes, such as another order, are a difference of the whole body.
  return found.length > 0 && parseObject(expected) && parseObject(got) ? found : [{ field, expected, got }];
}

function parseObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
