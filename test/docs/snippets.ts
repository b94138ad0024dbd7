import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** A block of code of a document, that names the file which it is of, or goes into, in its first line. */
type Snippet = { file: string; text: string };

/** The blocks of a document that name a file: `# menu.yaml` or `// menu.ts` is their first line. */
function snippetsOf(document: string): Snippet[] {
  const blocks = readFileSync(document, 'utf8').matchAll(
    /^```(?:yaml|ts|js|py|php)\n((?:<\?php\n)?(?:#|\/\/) (\S+\.\w+)(?:: .*)?\n[\s\S]+?)^```$/gm,
  );
  return [...blocks].map(([, text = '', file = '']) => ({ file, text }));
}

/** The one block of a document that is a file. */
export function snippetOf(document: string, file: string): string {
  const found = snippetsOf(document).filter((one) => one.file === file);
  if (found.length !== 1)
    throw new Error(`${document}: expected one block that is ${file}, found ${found.length}`);
  return found[0]?.text ?? '';
}

type Written = { screens?: Record<string, unknown> } & Record<string, unknown>;

/** A menu as it grows along a document: after each block, with everything of the same name replaced. */
export function grownMenus(document: string, file: string): Written[] {
  const pieces = snippetsOf(document).filter((one) => one.file === file);
  const menus: Written[] = [];
  for (const { text } of pieces) {
    const before = menus.at(-1) ?? {};
    const piece: Written = parse(text);
    menus.push({ ...before, ...piece, screens: { ...before.screens, ...piece.screens } });
  }
  return menus;
}
