/** The most words of a sentence. */
export const maxWords = 30;

/** A sentence of a document, with the line of its block. */
export type Sentence = { line: number; text: string; words: number };

/** A block of text without a break: a paragraph, an item of a list, or a cell of a table. */
type Block = { line: number; text: string };

/** Returns the sentences of a document that have more words than allowed. Code, headings, generated parts and lists do not count. */
export function longSentences(document: string): Sentence[] {
  return blocksOf(document).flatMap(({ line, text }) =>
    splitSentences(joinCode(text))
      .map(plainText)
      .map((sentence) => ({ line, text: sentence, words: measuredWords(sentence) }))
      .filter(({ words }) => words > maxWords),
  );
}

/** Replaces what is not measured by empty lines, so that the numbers of the lines stay. */
function withoutCode(document: string): string {
  const emptied = (part: string) => part.replace(/[^\n]/g, '');
  return document
    .replace(/<!-- generated:[\s\S]*?<!-- \/generated -->/g, emptied)
    .replace(/^( *)```[\s\S]+?^\1```$/gm, emptied)
    .replace(/<!--[\s\S]*?-->/g, emptied);
}

function blocksOf(document: string): Block[] {
  const blocks: Block[] = [];
  let isOpen = false;
  for (const [index, line] of withoutCode(document).split('\n').entries()) {
    const text = line.trim();
    if (text === '' || /^#|^\|[\s|:-]+\|$/.test(text)) isOpen = false;
    else if (text.startsWith('|')) {
      blocks.push(...cellsOf(text).map((cell) => ({ line: index + 1, text: cell })));
      isOpen = false;
    } else if (!isOpen || /^(?:[-*]|\d+\.) /.test(text)) {
      blocks.push({ line: index + 1, text: text.replace(/^(?:[-*]|\d+\.) /, '') });
      isOpen = true;
    } else {
      const block = blocks.at(-1);
      if (block) block.text += ` ${text}`;
    }
  }
  return blocks;
}

function cellsOf(row: string): string[] {
  return row.split(/(?<!\\)\||<br>/).map((cell) => cell.trim());
}

/** Joins the words of each piece of code, which counts as one word and ends no sentence. */
function joinCode(text: string): string {
  return text.replace(/``.+?``|`[^`]+`/g, (code) => code.replaceAll(' ', '·'));
}

function splitSentences(text: string): string[] {
  return text.split(/(?<=[.!?]["”)*]*) (?=["“([*`]*(?:[A-Z0-9`]|\[|dialtill\b))/);
}

/** Returns the text without marks: a link is its text. */
function plainText(text: string): string {
  return text
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll('**', '')
    .trim();
}

function countWords(text: string): number {
  return text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

/** Returns the number of words that count: of a sentence that is a list, those of its longest part. */
function measuredWords(sentence: string): number {
  const words = countWords(sentence);
  if (words <= maxWords) return words;
  const [, head = '', rest = ''] = /^(.*?): (.+)$/.exec(sentence) ?? [];
  const listed = rest.split(/[,;] /);
  if (isList(listed, 3)) return Math.max(...[head, ...listed].map(countWords));
  const parts = sentence.split(/[,;] /);
  return isList(parts, 5) ? Math.max(...parts.map(countWords)) : words;
}

/** Returns whether there are at least so many parts, most of them short. */
function isList(parts: string[], min: number): boolean {
  const short = parts.filter((part) => countWords(part) <= 7).length;
  return parts.length >= min && short >= 0.7 * parts.length;
}
