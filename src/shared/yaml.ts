import { LineCounter } from 'yaml';
import type { ZodError, ZodType } from 'zod';
import { isMap, type UncheckedMap } from './json.ts';
import { suggestKey } from './suggest-key.ts';
import { maxTextFileBytes } from './text-file.ts';
import { expandListIssues } from './union-issues.ts';
import { maxSyntaxErrors, plainValue, positionsIn, readDocument } from './yaml-document.ts';

/** An error in a file that a person wrote, by line and column from 1. The message quotes no value: it may be a secret. */
export type FileError = { file: string; line: number; column?: number; path: string; message: string };

type Path = readonly PropertyKey[];

/** The parsed content of a YAML file: a map. No schema has checked `value`. */
export type YamlSource = {
  value: UncheckedMap;
  /** Syntax errors that leave the rest readable: duplicate keys. */
  errors: readonly FileError[];
  /** Returns an error at the position of `path`, or of its nearest ancestor in the file. */
  errorAt(path: Path, message: string): FileError;
};

const maxDepth = 32;

/** Bytes that are not UTF-8 are read as U+FFFD, and the zeros of UTF-16 as U+0000. */
const unreadableCharacter = /[\0\uFFFD]/;

const restUnread = `not YAML: more than ${maxSyntaxErrors - 1} errors, the rest is not read`;
const aliasFaults = {
  no_anchor: 'expected an anchor before this alias. Put a text that begins with * into quotes',
  too_many: 'expected YAML with few aliases, each after its anchor',
};
const utf8Expected = 'expected a file in UTF-8. Save it again in this encoding';

/**
 * Parses YAML 1.2 with a map at the top, and records the position of each key. The length of the text, its depth and the
 * expansion of aliases are bounded.
 *
 * @returns `ok: false` with every syntax error when the structure is not reliable, or with the error of another top level.
 */
export function readYaml(
  text: string,
  file: string,
): ({ ok: true } & YamlSource) | { ok: false; errors: FileError[] } {
  const lines = new LineCounter();
  const getPosition = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const rejectWith = (message: string) => ({
    ok: false as const,
    errors: [{ file, line: 1, path: '', message }],
  });
  if (text.length > maxTextFileBytes) return rejectWith(`expected at most ${maxTextFileBytes / 1024} KiB`);
  const unreadable = text.search(unreadableCharacter);
  if (unreadable >= 0) {
    const line = text.slice(0, unreadable).split('\n').length;
    return { ok: false, errors: [{ file, line, path: '', message: utf8Expected }] };
  }
  const read = readDocument(text, lines, maxDepth);
  if (read.kind === 'too_deep') return rejectWith(`expected at most ${maxDepth} levels`);
  if (read.kind === 'errors') {
    const syntaxErrors = read.errors.map((error) => {
      return { file, ...getPosition(error.offset), path: '', message: syntaxMessage(error) };
    });
    const last = syntaxErrors.at(-1);
    const isCut = last !== undefined && syntaxErrors.length === maxSyntaxErrors;
    return { ok: false, errors: isCut ? [...syntaxErrors, { ...last, message: restUnread }] : syntaxErrors };
  }
  const known = plainValue(read.document);
  if ('fault' in known) {
    const message = aliasFaults[known.fault];
    return { ok: false, errors: [{ file, ...getPosition(known.offset), path: '', message }] };
  }
  const { duplicates, offsetOf } = positionsIn(read.document);
  if (!isMap(known.value)) {
    const message = `expected a map, found ${getKind(known.value)}`;
    return { ok: false, errors: [{ file, ...getPosition(offsetOf([])), path: '', message }] };
  }
  const errorAtOffset = (offset: number, path: Path, message: string) => {
    return { file, ...getPosition(offset), path: formatPath(path), message };
  };
  return {
    ok: true,
    value: known.value,
    errors: duplicates.map(({ path, offset }) => errorAtOffset(offset, path, 'duplicate key')),
    errorAt: (path, message) => errorAtOffset(offsetOf(path), path, message),
  };
}

/**
 * Validates a value of a file.
 *
 * @param under the path of the value.
 * @returns the issues of the schema as errors with their positions. A key that is missing because it is misspelt has one error.
 */
export function schemaErrors(
  source: YamlSource,
  schema: ZodType,
  { value = source.value, under = [] }: { value?: unknown; under?: Path } = {},
): FileError[] {
  const meant = new Set<string>();
  const issues = expandListIssues(schema.safeParse(value).error?.issues ?? [], value);
  const unknown = issues.flatMap((issue) => (issue.code === 'unrecognized_keys' ? [issue] : []));
  const errors = unknown.flatMap(({ path, keys }) =>
    keys.map((key) => {
      const name = suggestKey(schema, { value, path, key });
      if (name !== undefined) meant.add(formatPath([...under, ...path, name]));
      return source.errorAt(
        [...under, ...path, key],
        `unknown key${name === undefined ? '' : `: did you mean ${name}?`}`,
      );
    }),
  );
  const others = issues
    .filter((issue) => issue.code !== 'unrecognized_keys')
    .map((issue) => source.errorAt([...under, ...issue.path], expectation(issue)));
  return [...errors, ...others.filter(({ path }) => !meant.has(path))];
}

/** Sorts errors by line, and those of several files in the order of `files`. Errors of one line keep their order. */
export function sortErrors<T extends FileError>(errors: readonly T[], files: readonly string[] = []): T[] {
  return [...errors].sort((a, b) => files.indexOf(a.file) - files.indexOf(b.file) || a.line - b.line);
}

/** How many errors are printed. The first ones explain the others. */
export const maxPrintedErrors = 50;

/** Formats one error per line: `dialtill.yaml:12:5 merchants[0].key: expected …`. Counts those beyond the maximum. */
export function formatFileErrors(errors: readonly FileError[]): string {
  const lines = errors.slice(0, maxPrintedErrors).map(({ file, line, column, path, message }) => {
    const position = column === undefined ? `${file}:${line}` : `${file}:${line}:${column}`;
    return `${position}${path === '' ? '' : ` ${path}`}: ${message}`;
  });
  return [...lines, ...unprinted(errors)].join('\n');
}

/** Returns the line that counts the errors beyond the maximum, if there are any. */
export function unprinted(errors: readonly unknown[]): string[] {
  const count = errors.length - maxPrintedErrors;
  return count <= 0 ? [] : [`and ${count} more`];
}

/** Formats a path as `screens.welcome.options[0].to`. */
export function formatPath(path: Path): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    const key = String(step);
    if (!/^[\w-]+$/.test(key)) return `${text}[${JSON.stringify(key)}]`;
    return text === '' ? key : `${text}.${key}`;
  }, '');
}

/** What usually causes an error of the parser, by its code. */
const remedies: Readonly<Record<string, string>> = {
  BLOCK_AS_IMPLICIT_KEY: '. Put a text with a colon and a space into quotes',
  TAB_AS_INDENT: '. Use spaces',
  UNEXPECTED_TOKEN: '. Put the whole text into quotes',
};

/** Returns the parser's message without the excerpt of the file that some messages quote, and what to do. */
function syntaxMessage({ code, message }: { code: string; message: string }): string {
  if (code === 'BAD_DQ_ESCAPE')
    return 'not YAML: Invalid escape sequence. Put a text with a backslash into single quotes';
  return `not YAML: ${message.replace(/(?<=\S): .*$/s, '')}${remedies[code] ?? ''}`;
}

const kinds: Readonly<Record<string, string>> = {
  object: 'a map',
  record: 'a map',
  array: 'a list',
  tuple: 'a list',
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
};

/** Returns the kind of a parsed value, such as `a list`. */
export function getKind(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  return kinds[Array.isArray(value) ? 'array' : typeof value] ?? typeof value;
}

const comparisons: Readonly<Record<string, string>> = {
  '<=': 'of at most',
  '>=': 'of at least',
  '<': 'less than',
  '>': 'greater than',
};

/** Returns what an issue expected. The project's schemas write whole expectations; zod's messages are rephrased. */
function expectation(issue: ZodError['issues'][number]): string {
  if (issue.code === 'invalid_key' && issue.issues[0]) return issue.issues[0].message;
  if (issue.code === 'invalid_union' && 'options' in issue && Array.isArray(issue.options)) {
    return `expected one of ${issue.options.join(', ')}`;
  }
  return issue.message
    .replace(/^[A-Z][^:]*: (?=expected)/, '')
    .replace(/"\|"/g, ', ')
    .replace(/^(expected one of )"(.*)"$/, '$1$2')
    .replace(/, received (undefined|null)$/, ', found nothing')
    .replace(/, received (\w+)$/, (_, kind: string) => `, found ${kinds[kind] ?? kind}`)
    .replace(/^expected (\w+)(?=,|$| to )/, (_, kind: string) => `expected ${kinds[kind] ?? kind}`)
    .replace(/ to (?:be|have) ([<>]=?)/, (_, comparison: string) => ` ${comparisons[comparison]} `);
}
