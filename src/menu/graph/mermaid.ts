import type { GraphNode, MenuGraph } from './menu-graph.ts';

/** The Mermaid shape of each kind of screen: a parallelogram asks, a cylinder looks up, a flag leads outside, a rounded box ends. */
const shapes: Readonly<Record<GraphNode['kind'], readonly [string, string]>> = {
  choose: ['[', ']'],
  ask: ['[/', '/]'],
  lookup: ['[(', ')]'],
  proxy: ['>', ']'],
  confirm: ['{{', '}}'],
  status: ['[[', ']]'],
  requests: ['[\\', '/]'],
  end: ['([', '])'],
};

/** Renders a graph as a Mermaid flowchart. */
export function renderMermaid({ start, nodes, edges }: MenuGraph): string {
  const ids = new Map(nodes.map(({ screen }, i) => [screen, `s${i}`] as const));
  const id = (screen: string) => ids.get(screen) ?? screen;
  const lines = [
    'flowchart TD',
    ...start.map(({ to, label }, i) => `  dial${i === 0 ? '((dial))' : ''} ${arrow(label)} ${id(to)}`),
    ...nodes.map(({ screen, kind, summary }) => {
      const [open, close] = shapes[kind];
      return `  ${id(screen)}${open}"${escapeLabel(screen)}<br/>${escapeLabel(summary)}"${close}`;
    }),
    ...edges.map(({ from, to, label }) => `  ${id(from)} ${arrow(label)} ${id(to)}`),
  ];
  return `${lines.join('\n')}\n`;
}

function arrow(label: string): string {
  return label === '' ? '-->' : `-- "${escapeLabel(label)}" -->`;
}

/** Replaces characters that Mermaid could interpret by their entity codes. */
function escapeLabel(text: string): string {
  return text.replace(/[^A-Za-z0-9 .,:_-]/g, (character) => `#${character.codePointAt(0)};`);
}
