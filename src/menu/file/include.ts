import { readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { z } from 'zod';
import { type FileError, readYaml, schemaErrors, sortErrors } from '../../shared/yaml.ts';
import { noHandlers } from '../effects/handler.ts';
import { menuSchema } from '../schema.ts';
import { mergeParts } from './merge.ts';
import { isMap, type Part, type ReadMenu } from './source.ts';

const maxFiles = 16;
const deepest = 4;
const maxBytes = 256 * 1024;

const including = z.object({ include: menuSchema.shape.include });
/** What an included file may hold. What the parts are is checked with the whole menu. */
const included = z.strictObject({
  include: z.unknown().optional(),
  messages: z.record(z.string(), z.unknown()).optional(),
  screens: z.record(z.string(), z.unknown()).optional(),
});

/** The files read so far, by where they really are, and what keeps others from being read. */
type Reading = { readonly parts: Map<string, Part>; readonly faults: FileError[] };

/** The files from the first to the one that is read, each included by the one before. */
type Way = readonly { readonly file: string; readonly real: string }[];

/**
 * Reads a menu together with the files that it includes, and those that they include. A file that several include is
 * read once.
 *
 * Fails with what keeps any of them from being read: its notation, no such file, a circle, too many, too deep.
 */
export function readWithIncluded(text: string, file: string): ReadMenu {
  const source = readYaml(text, file);
  if (!source.ok) return source;
  const reading: Reading = { parts: new Map(), faults: [] };
  follow(reading, { file, source }, [{ file, real: whereIs(file) ?? file }]);
  const parts = [...reading.parts.values()];
  const files = [file, ...parts.map((part) => part.file)];
  if (reading.faults.length > 0) {
    return { ok: false, errors: sortErrors([...source.errors, ...reading.faults], files) };
  }
  return { ok: true, ...mergeParts({ file, source }, parts), files, handlers: noHandlers };
}

function follow(reading: Reading, { file, source }: Part, way: Way): void {
  const parsed = including.safeParse(isMap(source.value) ? source.value : {});
  if (!parsed.success) {
    reading.faults.push(...schemaErrors(source, parsed.error));
    return;
  }
  for (const [i, name] of parsed.data.include.entries()) {
    const path = isAbsolute(name) ? name : join(dirname(file), name);
    const refused = readIncluded(reading, path, way);
    if (refused !== undefined) reading.faults.push(source.errorAt(['include', i], refused));
  }
}

/** Reads a file and what it includes. Returns what is wrong with naming it there. */
function readIncluded(reading: Reading, file: string, way: Way): string | undefined {
  const real = whereIs(file);
  if (real === undefined) return `expected a file that can be read: ${file} cannot`;
  const again = way.findIndex((one) => one.real === real);
  if (again >= 0) {
    const names = [...way.slice(again).map((one) => one.file), file];
    return `expected files that do not include each other in a circle: ${names.join(' > ')}`;
  }
  if (reading.parts.has(real)) return undefined;
  if (way.length > deepest) return `expected included files at most ${deepest} deep`;
  if (reading.parts.size === maxFiles) return `expected at most ${maxFiles} included files in all`;
  const text = readBounded(real);
  if (text === undefined) {
    return `expected a regular file of at most ${maxBytes / 1024} KiB: ${file} is none`;
  }
  const source = readYaml(text, file);
  if (!source.ok) {
    reading.faults.push(...source.errors);
    return undefined;
  }
  const shape = included.safeParse(source.value);
  const errors = [...source.errors, ...(shape.success ? [] : schemaErrors(source, shape.error))];
  const part = { file, source: { ...source, errors } };
  reading.parts.set(real, part);
  follow(reading, part, [...way, { file, real }]);
  return undefined;
}

function whereIs(file: string): string | undefined {
  try {
    return realpathSync(file);
  } catch {
    return undefined;
  }
}

/** `undefined` for what is no regular file, such as a pipe that nobody writes to, and for a file that is too large. */
function readBounded(file: string): string | undefined {
  try {
    const found = statSync(file);
    return found.isFile() && found.size <= maxBytes ? readFileSync(file, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}
