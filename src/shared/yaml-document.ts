import { Composer, type Document, Lexer, type LineCounter, Parser } from 'yaml';

/** The first errors explain the others. After this many, the rest of the text is not read. */
export const maxSyntaxErrors = 50;

/** A syntax error. The message can quote the text. */
type SyntaxError = { offset: number; code: string; message: string };

export type ReadDocument =
  | { kind: 'document'; document: Document }
  | { kind: 'errors'; errors: readonly SyntaxError[] }
  | { kind: 'too_deep' };

type Tokens = Parameters<Composer['compose']>[0] extends Iterable<infer Token> ? Token[] : never;

class TooManyErrors extends Error {}

/**
 * Reads one YAML document. The work is linear in the length of the text, and ends at `maxSyntaxErrors`, because each error
 * costs as much as hundreds of characters.
 */
export function readDocument(text: string, lines: LineCounter, maxDepth: number): ReadDocument {
  const errors: SyntaxError[] = [];
  const add = (offset: number, code: string, message: string) => {
    // The composer catches an exception of its error handler once, and reports it as a further error.
    if (errors.length < maxSyntaxErrors) errors.push({ offset, code, message });
    if (errors.length === maxSyntaxErrors) throw new TooManyErrors();
  };
  try {
    const tokens = tokensOf(text, lines, maxDepth, add);
    if (tokens === undefined) return { kind: 'too_deep' };
    const document = compose(tokens, text.length, add);
    if (errors.length === 0 && document) return { kind: 'document', document };
  } catch (fault) {
    if (!(fault instanceof TooManyErrors)) throw fault;
  }
  return { kind: 'errors', errors: errors.toSorted((a, b) => a.offset - b.offset) };
}

type AddError = (offset: number, code: string, message: string) => void;

/**
 * Returns the tokens of a text; `undefined` when they are too deep. The parser keeps its own stack, while the composer
 * recurses, and a process whose stack overflows while a regular expression is compiled ends instead of throwing.
 */
function tokensOf(text: string, lines: LineCounter, maxDepth: number, add: AddError): Tokens | undefined {
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  const tokens: Tokens = [];
  const take = (found: Iterable<Tokens[number]>) => {
    for (const token of found) {
      if (token.type === 'error') add(token.offset, 'UNEXPECTED_TOKEN', token.message);
      else tokens.push(token);
    }
  };
  for (const lexeme of new Lexer().lex(text)) {
    take(parser.next(lexeme));
    if (parser.stack.length > maxDepth) return undefined;
  }
  take(parser.end());
  return tokens;
}

/** Composes the first document. The composer cannot be stopped, except by an exception of its error handler. */
function compose(tokens: Tokens, length: number, add: AddError): Document | undefined {
  // Duplicate keys are found elsewhere: the composer compares each key of a map with all others.
  const composer = new Composer({ stringKeys: true, uniqueKeys: false });
  Object.assign(composer, {
    onError: (source: number | [number, number] | { offset: number }, code: string, message: string) => {
      const offset = typeof source === 'number' ? source : Array.isArray(source) ? source[0] : source.offset;
      add(offset, code, message);
    },
  });
  let first: Document | undefined;
  for (const document of composer.compose(tokens, true, length)) {
    for (const { pos, code, message } of [...document.errors, ...document.warnings])
      add(pos[0], code, message);
    if (first) add(document.range[0], 'MULTIPLE_DOCS', 'expected one document');
    first ??= document;
  }
  return first;
}
