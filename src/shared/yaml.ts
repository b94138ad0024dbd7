import {
  type Document,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  Parser,
  parseDocument,
  visit,
  type YAMLError,
} from 'yaml';
import type { ZodError, ZodType } from 'zod';

/**
 * An error in a file that a person wrote. `line` and `column` count from 1; `column` is absent where only the line is
 * known. The message never quotes a value of the file: it may be a secret.
 */
export type FileError = { file: string; line: number; column?: number; path: string; message: string };

type Path = readonly PropertyKey[];

/** The parsed content of a YAML file. No schema has checked `value`. */
export type YamlSource = {
  value: unknown;
  /** Syntax errors that leave the rest readable: duplicate keys. */
  errors: readonly FileError[];
  /** Returns an error at the position of `path`, or of its nearest ancestor in the file. */
  errorAt(path: Path, message: string): FileError;
};

const maxTextLength = 256 * 1024;
const maxAliases = 64;
const maxDepth = 32;

/**
 * Parses YAML 1.2 and records the position of each key. The length of the text, its depth and the expansion of aliases
 * are bounded.
 *
 * @returns `ok: false` with every syntax error when the structure is not reliable.
 */
export function readYaml(
  text: string,
  file: string,
): ({ ok: true } & YamlSource) | { ok: false; errors: FileError[] } {
  const lines = new LineCounter();
  const positionOf = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const rejectWith = (message: string) => ({
    ok: false as const,
    errors: [{ file, line: 1, path: '', message }],
  });
  if (text.length > maxTextLength) return rejectWith(`expected at most ${maxTextLength / 1024} KiB`);
  if (isTooDeep(text)) return rejectWith(`expected at most ${maxDepth} levels`);
  try {
    const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: true });
    const problems = [...document.errors, ...document.warnings];
    const errors = problems.map((problem) => ({
      file,
      ...positionOf(problem.pos[0]),
      path: problem.code === 'DUPLICATE_KEY' ? formatPath(pathOfKeyAt(document, problem.pos[0])) : '',
      message: syntaxMessage(problem),
    }));
    if (problems.some(({ code }) => code !== 'DUPLICATE_KEY')) return { ok: false, errors };
    return {
      ok: true,
      value: document.toJS({ maxAliasCount: maxAliases }),
      errors,
      errorAt: (path, message) => ({
        file,
        ...positionOf(offsetOf(document, path)),
        path: formatPath(path),
        message,
      }),
    };
  } catch {
    return rejectWith('expected YAML with few aliases, each after its anchor');
  }
}

/** Returns the issues of a schema as errors with their positions. `under` is the path of the checked value. */
export function schemaErrors(source: YamlSource, error: ZodError, under: Path = []): FileError[] {
  return error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => source.errorAt([...under, ...issue.path, key], 'unknown key'))
      : [source.errorAt([...under, ...issue.path], expectation(issue))],
  );
}

/**
 * Parses a whole file and validates it.
 *
 * @param check reports errors that a schema cannot express. It receives the raw value, also when the schema failed.
 * @returns the schema's output, or all errors in the order of their positions.
 */
export function parseYaml<T>(
  text: string,
  schema: ZodType<T>,
  file: string,
  check?: (value: unknown, report: (path: Path, message: string) => void) => void,
): { ok: true; value: T } | { ok: false; errors: FileError[] } {
  const source = readYaml(text, file);
  if (!source.ok) return source;
  const parsed = schema.safeParse(source.value);
  const errors = [...source.errors, ...(parsed.success ? [] : schemaErrors(source, parsed.error))];
  check?.(source.value, (path, message) => errors.push(source.errorAt(path, message)));
  return parsed.success && errors.length === 0
    ? { ok: true, value: parsed.data }
    : { ok: false, errors: sortErrors(errors) };
}

/** Sorts errors by line, and those of several files in the order of `files`. Errors of one line keep their order. */
export function sortErrors<T extends FileError>(errors: readonly T[], files: readonly string[] = []): T[] {
  return [...errors].sort((a, b) => files.indexOf(a.file) - files.indexOf(b.file) || a.line - b.line);
}

/** Formats one error per line: `dialtill.yaml:12:5 merchants[0].key: expected …`. */
export function formatFileErrors(errors: readonly FileError[]): string {
  return errors
    .map(({ file, line, column, path, message }) => {
      const position = column === undefined ? `${file}:${line}` : `${file}:${line}:${column}`;
      return `${position}${path === '' ? '' : ` ${path}`}: ${message}`;
    })
    .join('\n');
}

/**
 * Measures the depth with the parser alone, which keeps its own stack. The document reader recurses, and a process
 * whose stack overflows while a regular expression is compiled ends instead of throwing.
 */
function isTooDeep(text: string): boolean {
  const parser = new Parser();
  for (const lexeme of new Lexer().lex(text)) {
    Array.from(parser.next(lexeme));
    if (parser.stack.length > maxDepth) return true;
  }
  return false;
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

/** Returns the offset of a path in the text: of its key, its list item, or its nearest ancestor in the file. */
function offsetOf(document: Document, path: Path): number {
  let node: unknown = document.contents;
  let offset = document.contents?.range?.[0] ?? 0;
  for (const step of path) {
    const inside = isAlias(node) ? node.resolve(document) : node;
    if (isMap(inside)) {
      const pair = inside.items.find(({ key }) => isScalar(key) && String(key.value) === String(step));
      if (!isScalar(pair?.key)) break;
      offset = pair.key.range?.[0] ?? offset;
      node = pair.value;
    } else if (isSeq(inside) && Number(step) in inside.items) {
      node = inside.items[Number(step)];
      if (isScalar(node) || isMap(node) || isSeq(node) || isAlias(node)) offset = node.range?.[0] ?? offset;
    } else {
      break;
    }
  }
  return offset;
}

function pathOfKeyAt(document: Document, offset: number): Path {
  let found: Path = [];
  visit(document, {
    Pair(_, pair, ancestors) {
      if (!isScalar(pair.key) || pair.key.range?.[0] !== offset) return undefined;
      const above = ancestors.flatMap((node, i): PropertyKey[] => {
        if (isPair(node)) return isScalar(node.key) ? [String(node.key.value)] : [];
        return isSeq(node) ? [node.items.indexOf(ancestors[i + 1] ?? pair)] : [];
      });
      found = [...above, String(pair.key.value)];
      return visit.BREAK;
    },
  });
  return found;
}

/** Returns the parser's message without the excerpt of the file that some messages quote. */
function syntaxMessage({ code, message }: YAMLError): string {
  if (code === 'DUPLICATE_KEY') return 'duplicate key';
  if (code === 'BAD_DQ_ESCAPE') return 'not YAML: Invalid escape sequence';
  return `not YAML: ${message.replace(/(?<=\S): .*$/s, '')}`;
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
