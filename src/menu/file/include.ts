import { realpathSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { z } from 'zod';
import { maxTextFileBytes, readTextFile } from '../../shared/text-file.ts';
import { type FileError, readYaml, schemaErrors, sortErrors } from '../../shared/yaml.ts';
import { noHandlers } from '../effects/handler.ts';
import { menuSchema } from '../schema.ts';
import { mergeParts } from './merge.ts';
import type { Part, ReadMenu } from './source.ts';

const maxFiles = 16;
const maxDepth = 4;

const including = z.object({ include: menuSchema.shape.include });
/** The keys of an included file. Their content is checked with the whole menu. */
const included = z.strictObject({
  include: z.unknown().optional(),
  messages: z.record(z.string(), z.unknown()).optional(),
  screens: z.record(z.string(), z.unknown()).optional(),
});

/** The files read so far, by their real path, and the errors of files that could not be read. */
type Reading = { readonly parts: Map<string, Part>; readonly errors: FileError[] };

/** The files from the first to the current one, each included by the one before. */
type IncludePath = readonly { readonly file: string; readonly real: string }[];

/**
 * Reads a menu with the files that it includes, and the files that those include. A file is read once, even if several
 * files include it.
 *
 * @returns errors for files that cannot be read: invalid syntax, a missing file, a circle, too many files, too deep.
 */
export function readWithIncluded(text: string, file: string): ReadMenu {
  const source = readYaml(text, file);
  if (!source.ok) return source;
  const reading: Reading = { parts: new Map(), errors: [] };
  follow(reading, { file, source }, [{ file, real: realPathOf(file) ?? file }]);
  const parts = [...reading.parts.values()];
  const files = [file, ...parts.map((part) => part.file)];
  if (reading.errors.length > 0) {
    return { ok: false, errors: sortErrors([...source.errors, ...reading.errors], files) };
  }
  return { ok: true, ...mergeParts({ file, source }, parts), files, handlers: noHandlers };
}

function follow(reading: Reading, { file, source }: Part, path: IncludePath): void {
  const parsed = including.safeParse(source.value);
  if (!parsed.success) {
    reading.errors.push(...schemaErrors(source, parsed.error));
    return;
  }
  for (const [i, name] of parsed.data.include.entries()) {
    const includedFile = isAbsolute(name) ? name : join(dirname(file), name);
    const problem = readIncluded(reading, includedFile, path);
    if (problem !== undefined) reading.errors.push(source.errorAt(['include', i], problem));
  }
}

/** Reads an included file and its own includes. Returns the problem with the include, if any. */
function readIncluded(reading: Reading, file: string, path: IncludePath): string | undefined {
  const real = realPathOf(file);
  if (real === undefined) return `expected a readable file: cannot read ${file}`;
  const circleStart = path.findIndex((one) => one.real === real);
  if (circleStart >= 0) {
    const names = [...path.slice(circleStart).map((one) => one.file), file];
    return `expected files that do not include each other in a circle: ${names.join(' > ')}`;
  }
  if (reading.parts.has(real)) return undefined;
  if (path.length > maxDepth) return `expected included files at most ${maxDepth} deep`;
  if (reading.parts.size === maxFiles) return `expected at most ${maxFiles} included files`;
  const text = readTextFile(real, 'regular');
  if (text === undefined) {
    return `expected a regular file of at most ${maxTextFileBytes / 1024} KiB: ${file} is not`;
  }
  const source = readYaml(text, file);
  if (!source.ok) {
    reading.errors.push(...source.errors);
    return undefined;
  }
  const shape = included.safeParse(source.value);
  const errors = [...source.errors, ...(shape.success ? [] : schemaErrors(source, shape.error))];
  const part = { file, source: { ...source, errors } };
  reading.parts.set(real, part);
  follow(reading, part, [...path, { file, real }]);
  return undefined;
}

function realPathOf(file: string): string | undefined {
  try {
    return realpathSync(file);
  } catch {
    return undefined;
  }
}
