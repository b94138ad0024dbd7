import type { LineCounter } from 'yaml';
import {
  type Alias,
  type Document,
  isNode,
  isPair,
  isScalar,
  isSeq,
  Lexer,
  type Pair,
  Parser,
  parseDocument,
  visit,
} from 'yaml';

type Path = readonly PropertyKey[];

/** The first errors explain the others. After this many, the rest of the text is not read. */
export const maxSyntaxErrors = 50;

/** A syntax error. The message can quote the text. */
type SyntaxError = { readonly offset: number; readonly code: string; readonly message: string };

export type ReadDocument =
  | { readonly kind: 'document'; readonly document: Document }
  | { readonly kind: 'errors'; readonly errors: readonly SyntaxError[] }
  | { readonly kind: 'too_deep' };

/** Reads one YAML document. Its errors are in the order of the text, at most `maxSyntaxErrors`. */
export function readDocument(text: string, lineCounter: LineCounter, maxDepth: number): ReadDocument {
  const scanned = scan(text, maxDepth);
  if (scanned === undefined) return { kind: 'too_deep' };
  if (scanned.length === maxSyntaxErrors) {
    // The lines up to the last error are needed for its position.
    for (const { index } of text.matchAll(/\n/g)) lineCounter.addNewLine(index + 1);
    return { kind: 'errors', errors: scanned };
  }
  // Duplicate keys are found below: the library compares each key of a map with all others.
  const document = parseDocument(text, {
    lineCounter,
    prettyErrors: false,
    stringKeys: true,
    uniqueKeys: false,
  });
  const errors = [...document.errors, ...document.warnings].map(({ pos: [offset], code, message }) => ({
    offset,
    code,
    message: code === 'MULTIPLE_DOCS' ? 'expected one document' : message,
  }));
  if (errors.length === 0) return { kind: 'document', document };
  return { kind: 'errors', errors: errors.sort((a, b) => a.offset - b.offset).slice(0, maxSyntaxErrors) };
}

/**
 * Returns the errors of the tokens, up to `maxSyntaxErrors`; `undefined` for a text that is too deep. The parser of tokens keeps
 * its own stack, while the composer recurses, and a process whose stack overflows while a regular expression is compiled ends
 * instead of throwing. Each error costs the composer as much as hundreds of characters.
 */
function scan(text: string, maxDepth: number): SyntaxError[] | undefined {
  const parser = new Parser();
  const errors: SyntaxError[] = [];
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) {
      if (token.type !== 'error') continue;
      errors.push({ offset: token.offset, code: 'UNEXPECTED_TOKEN', message: token.message });
      if (errors.length === maxSyntaxErrors) return errors;
    }
    if (parser.stack.length > maxDepth) return undefined;
  }
  return errors;
}

/** A name for a value that the file repeats is rare. The library searches the whole document for each one. */
const maxAliases = 64;

/** Characters of the value as JSON, with all aliases expanded. */
const maxExpanded = 1024 * 1024;

/** Why a document has no value: the alias at `offset` has no anchor before it, or aliases are many, long or circular. */
type AliasFault = { readonly fault: 'no_anchor' | 'too_many'; readonly offset: number };

/** Returns the value of a document, or the first fault of its aliases. */
export function plainValue(document: Document): { readonly value: unknown } | AliasFault {
  const aliases: Alias[] = [];
  visit(document, {
    Alias: (_, alias) => (aliases.push(alias) > maxAliases ? visit.BREAK : undefined),
  });
  const tooMany = { fault: 'too_many', offset: findStart(aliases.at(-1)) ?? 0 } as const;
  if (aliases.length > maxAliases) return tooMany;
  const unknown = aliases.find((alias) => alias.resolve(document) === undefined);
  if (unknown) return { fault: 'no_anchor', offset: findStart(unknown) ?? 0 };
  try {
    const value: unknown = document.toJS({ maxAliasCount: maxAliases });
    return aliases.length > 0 && JSON.stringify(value).length > maxExpanded ? tooMany : { value };
  } catch {
    return tooMany;
  }
}

/** The positions in a YAML document. */
export type Positions = {
  /** The paths and offsets of keys that occur a second time in their map. */
  readonly duplicates: readonly { readonly path: Path; readonly offset: number }[];
  /** Returns the offset of a path in the text: of its key, its list item, or its nearest ancestor in the file. */
  offsetOf(path: Path): number;
};

/** Finds the positions in a document, in time linear in its size. */
export function positionsIn(document: Document): Positions {
  const pairs = new Map<unknown, Map<string, Pair>>();
  const targets = new Map<unknown, unknown>();
  const duplicates: { path: Path; offset: number }[] = [];
  visit(document, {
    Alias: (_, alias) => void targets.set(alias, alias.resolve(document)),
    Map: (_, map, ancestors) => {
      const byKey = new Map<string, Pair>();
      for (const pair of map.items) {
        const name = keyName(pair);
        if (!byKey.has(name)) byKey.set(name, pair);
        else
          duplicates.push({
            path: [...getPath([...ancestors, map]), name],
            offset: findStart(pair.key) ?? 0,
          });
      }
      pairs.set(map, byKey);
    },
  });
  const getOffset = (path: Path) => {
    let node: unknown = document.contents;
    let offset = findStart(node) ?? 0;
    for (const step of path) {
      const inside = targets.get(node) ?? node;
      const pair = pairs.get(inside)?.get(String(step));
      const item = isSeq(inside) ? inside.items[Number(step)] : pair?.value;
      const start = findStart(pair ? pair.key : item);
      if (start === undefined) break;
      offset = start;
      node = item;
    }
    return offset;
  };
  return { duplicates, offsetOf: getOffset };
}

function keyName({ key }: Pair): string {
  return String(isScalar(key) ? key.value : key);
}

function findStart(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}

/** The path of the last of these nodes, each of which is in the one before it. */
function getPath(nodes: readonly unknown[]): PropertyKey[] {
  return nodes.flatMap((node, i): PropertyKey[] => {
    if (isPair(node)) return [keyName(node)];
    return isSeq(node) && i + 1 < nodes.length ? [node.items.indexOf(nodes[i + 1])] : [];
  });
}
