import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { z } from 'zod';
import { UserError } from '../shared/errors.ts';
import { endings } from '../shared/ussd.ts';

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

/**
 * Loads the wire fixtures of an aggregator, ordered by file name.
 *
 * @throws UserError when the folder has no fixtures, or one is invalid.
 */
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
