import type { Box, Drawing } from './arrows.ts';

/** What stands around a box of each kind: a slanted box asks, a drum is looked into, a round box ends. */
const shapes: Readonly<Record<Box['kind'], readonly [string, string]>> = {
  choose: ['[', ']'],
  ask: ['[/', '/]'],
  lookup: ['[(', ')]'],
  confirm: ['{{', '}}'],
  status: ['[[', ']]'],
  requests: ['[\\', '/]'],
  end: ['([', '])'],
};

/** The drawing as a Mermaid flowchart. */
export function mermaidOf({ start, boxes, arrows }: Drawing): string {
  const ids = new Map(boxes.map(({ name }, i) => [name, `s${i}`] as const));
  const id = (name: string) => ids.get(name) ?? name;
  const lines = [
    'flowchart TD',
    `  dial((dial)) --> ${id(start)}`,
    ...boxes.map(({ name, kind, line }) => {
      const [open, close] = shapes[kind];
      return `  ${id(name)}${open}"${escaped(name)}<br/>${escaped(line)}"${close}`;
    }),
    ...arrows.map(({ from, to, label }) => `  ${id(from)} -- "${escaped(label)}" --> ${id(to)}`),
  ];
  return `${lines.join('\n')}\n`;
}

/** What could end a label or mean something in it, as the number of its letter. */
function escaped(text: string): string {
  return text.replace(/[^A-Za-z0-9 .,:_-]/g, (sign) => `#${sign.codePointAt(0)};`);
}
