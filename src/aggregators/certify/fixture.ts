import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { UserError } from '../../shared/errors.ts';
import { endings } from '../../shared/ussd.ts';

/** A body: its text, or the JSON that is sent without blanks. */
const body = z.union([z.string(), z.record(z.string(), z.unknown())]);

const entry = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('dialled'), suffix: z.array(z.string()) }),
  z.strictObject({ kind: z.literal('typed'), input: z.string() }),
  z.strictObject({ kind: z.literal('cumulative'), text: z.string() }),
]);

const reading = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('request'),
    session: z.string(),
    dialler: z.string(),
    operator: z.string(),
    entry,
    mark: z.string().optional(),
    ussdRef: z.string().optional(),
  }),
  z.strictObject({ kind: z.literal('notice'), session: z.string(), ending: z.enum(endings) }),
  z.strictObject({ kind: z.literal('probe'), session: z.string() }),
  z.strictObject({ kind: z.literal('unreadable') }),
]);

const fixtureSchema = z.strictObject({
  /** What this shows, as one sentence. */
  about: z.string().min(10).max(200),
  /** Where it is from and how sure it is: `confirmed (ARK-O1)`, `unconfirmed`. */
  source: z.string().min(3).max(120),
  serviceCode: z.string(),
  /** The channel's settings for the aggregator. */
  settings: z.record(z.string(), z.unknown()).optional(),
  request: z.strictObject({
    method: z.enum(['POST', 'GET', 'PUT']).default('POST'),
    /** What follows the callback URL. */
    path: z.string().default(''),
    query: z.record(z.string(), z.string()).default({}),
    contentType: z.string().default(''),
    body: body.default(''),
  }),
  /** What the gateway must make of it. */
  reading,
  /** What the gateway says. */
  reply: z.strictObject({ kind: z.enum(['continue', 'end']), text: z.string() }),
  /** And how that must look on the wire. */
  answer: z.strictObject({ contentType: z.string(), body }),
});

/** What every aggregator must show, by the names of the files. */
export const basicFixtures = ['dial', 'typed', 'end', 'long-screen', 'odd-spellings', 'unreadable'] as const;

/** One exchange with an aggregator, byte by byte. */
export type Fixture = z.output<typeof fixtureSchema> & { file: string };

const shipped = fileURLToPath(new URL('../../../fixtures/aggregators', import.meta.url));

/**
 * The wire fixtures of an aggregator, in the order of their names.
 *
 * @throws UserError when there are none, or one cannot be read.
 */
export function loadFixtures(aggregator: string, folder: string = shipped): Fixture[] {
  const files = namesIn(join(folder, aggregator));
  if (files.length === 0) throw new UserError(`${join(folder, aggregator)}: expected wire fixtures, *.json`);
  return files.map((name) => {
    const file = join(folder, aggregator, name);
    try {
      return {
        ...fixtureSchema.parse(JSON.parse(readFileSync(file, 'utf8'))),
        file: `${aggregator}/${name}`,
      };
    } catch (cause) {
      const why = cause instanceof z.ZodError ? z.prettifyError(cause) : 'expected JSON';
      throw new UserError(`${file}: ${why}`, { cause });
    }
  });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .sort();
  } catch {
    return [];
  }
}

/** A body as it goes over the wire. */
export function bodyText(of: z.output<typeof body>): string {
  return typeof of === 'string' ? of : JSON.stringify(of);
}
