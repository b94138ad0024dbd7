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

/** One thing to put right in a file that a person wrote. Never quotes a value: it may be a secret. */
export type Fault = { file: string; line: number; path: string; message: string };

type Path = readonly PropertyKey[];

/** A file that could be read as YAML; what it says is not yet checked. */
export type YamlSource = {
  value: unknown;
  /** Faults of notation that leave the rest readable: duplicate keys. */
  faults: readonly Fault[];
  /** A fault at the line of `path`, or of its nearest ancestor that is there. */
  faultAt(path: Path, message: string): Fault;
};

const longestText = 256 * 1024;
const maxAliases = 64;
const deepest = 32;

/**
 * Reads YAML 1.2 and remembers the lines. The size of the text, its depth and what aliases may expand to are
 * bounded.
 * Fails with every fault of notation when the structure cannot be trusted.
 */
export function readYaml(
  text: string,
  file: string,
): ({ ok: true } & YamlSource) | { ok: false; faults: Fault[] } {
  const lines = new LineCounter();
  const lineAt = (offset: number) => Math.max(1, lines.linePos(offset).line);
  const refuse = (message: string) => ({
    ok: false as const,
    faults: [{ file, line: 1, path: '', message }],
  });
  if (text.length > longestText) return refuse(`expected at most ${longestText / 1024} KiB`);
  if (isTooDeep(text)) return refuse(`expected at most ${deepest} levels`);
  try {
    const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: true });
    const faults = [...document.errors, ...document.warnings].map((error) => ({
      file,
      line: lineAt(error.pos[0]),
      path: error.code === 'DUPLICATE_KEY' ? formatPath(pathOfKeyAt(document, error.pos[0])) : '',
      message: notationMessage(error),
    }));
    const readable = [...document.errors, ...document.warnings].every(({ code }) => code === 'DUPLICATE_KEY');
    if (!readable) return { ok: false, faults };
    return {
      ok: true,
      value: document.toJS({ maxAliasCount: maxAliases }),
      faults,
      faultAt: (path, message) => ({
        file,
        line: lineAt(offsetOf(document, path)),
        path: formatPath(path),
        message,
      }),
    };
  } catch {
    return refuse('expected YAML with few aliases, each after its anchor');
  }
}

/** Every issue that a schema raised, as faults with their lines. */
export function schemaFaults(source: YamlSource, error: ZodError, under: Path = []): Fault[] {
  return error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => source.faultAt([...under, ...issue.path, key], 'unknown key'))
      : [source.faultAt([...under, ...issue.path], expectation(issue))],
  );
}

/**
 * Reads and checks a whole file. Either the schema's output, or all faults at once, in the order of lines.
 * `check` looks at the raw value for what a schema cannot say, also when the schema found faults.
 */
export function parseYaml<T>(
  text: string,
  schema: ZodType<T>,
  file: string,
  check?: (value: unknown, report: (path: Path, message: string) => void) => void,
): { ok: true; value: T } | { ok: false; faults: Fault[] } {
  const source = readYaml(text, file);
  if (!source.ok) return source;
  const parsed = schema.safeParse(source.value);
  const faults = [...source.faults, ...(parsed.success ? [] : schemaFaults(source, parsed.error))];
  check?.(source.value, (path, message) => faults.push(source.faultAt(path, message)));
  return parsed.success && faults.length === 0
    ? { ok: true, value: parsed.data }
    : { ok: false, faults: inOrder(faults) };
}

/** Sorts faults by line, those of several files in the order of these; faults of one line keep their order. */
export function inOrder<T extends Fault>(faults: readonly T[], files: readonly string[] = []): T[] {
  return [...faults].sort((a, b) => files.indexOf(a.file) - files.indexOf(b.file) || a.line - b.line);
}

/** One fault per line: `dialtill.yaml:12 merchants[0].key: expected …`. */
export function formatFaults(faults: readonly Fault[]): string {
  return faults
    .map(({ file, line, path, message }) => `${file}:${line}${path === '' ? '' : ` ${path}`}: ${message}`)
    .join('\n');
}

/**
 * The reader recurses, and a process whose stack runs out while an expression is compiled dies instead of
 * throwing. So the depth is measured first, by the parser alone, which keeps its own stack.
 */
function isTooDeep(text: string): boolean {
  const parser = new Parser();
  for (const lexeme of new Lexer().lex(text)) {
    Array.from(parser.next(lexeme));
    if (parser.stack.length > deepest) return true;
  }
  return false;
}

/** `screens.welcome.options[0].to` */
export function formatPath(path: Path): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    const key = String(step);
    if (!/^[\w-]+$/.test(key)) return `${text}[${JSON.stringify(key)}]`;
    return text === '' ? key : `${text}.${key}`;
  }, '');
}

/** Where a path begins in the text: at its key, at its list item, or at what is nearest above it. */
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

/** The reader's own words, without the piece of the file that some of them quote. */
function notationMessage({ code, message }: YAMLError): string {
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

/** What was expected at an issue. Schemas of ours write whole expectations; zod's own are put the same way. */
function expectation(issue: ZodError['issues'][number]): string {
  if (issue.code === 'invalid_key' && issue.issues[0]) return issue.issues[0].message;
  if (issue.code === 'invalid_union' && 'options' in issue && Array.isArray(issue.options)) {
    return `expected one of ${issue.options.join(', ')}`;
  }
  return issue.message
    .replace(/^[A-Z][^:]*: (?=expected)/, '')
    .replace(/, received (undefined|null)$/, ', found nothing')
    .replace(/, received (\w+)$/, (_, kind: string) => `, found ${kinds[kind] ?? kind}`)
    .replace(/^expected (\w+)(?=,|$| to )/, (_, kind: string) => `expected ${kinds[kind] ?? kind}`);
}
