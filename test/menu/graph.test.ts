import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createMenuGraph, maxNodes, renderMermaid } from '../../src/menu/graph/menu-graph.ts';
import { menuSchema } from '../../src/menu/schema.ts';
import { menuIn } from './support.ts';

const shipped = readdirSync('fixtures/menus').filter((name) => /\.(yaml|ts)$/.test(name));

/** Decodes the entity codes of a Mermaid chart. */
function decode(chart: string): string {
  return chart.replace(/#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)));
}

test.each(shipped)('the chart of %s has every screen and every route between screens', (name) => {
  const menu = menuIn(`fixtures/menus/${name}`);
  const graph = createMenuGraph(menu);
  const chart = decode(graph ? renderMermaid(graph) : '');
  for (const screen of Object.keys(menu.screens)) expect(chart).toContain(`"${screen}<br/>`);
  expect(graph?.edges.length).toBeGreaterThan(0);
  for (const { label } of graph?.edges ?? []) expect(chart).toContain(` -- "${label}" --> `);
});

test('routes back and screens without a route to them are in the chart', () => {
  const options = ['first', 'second'].map((to) => ({ label: 'Somewhere', to }));
  const choose = { kind: 'choose', text: 'Where to?', options };
  const lost = { kind: 'end', text: 'No route leads here.' };
  const graph = createMenuGraph(
    menuSchema.parse({
      languages: ['en'],
      start: 'first',
      screens: { first: choose, second: choose, lost },
    }),
  );
  expect(graph && renderMermaid(graph)).toBe(
    [
      'flowchart TD',
      '  dial((dial)) --> s0',
      '  s0["first<br/>Where to#63;"]',
      '  s1["second<br/>Where to#63;"]',
      '  s2(["lost<br/>No route leads here."])',
      '  s0 -- "1" --> s0',
      '  s0 -- "2" --> s1',
      '  s1 -- "1" --> s0',
      '  s1 -- "2" --> s1',
      '',
    ].join('\n'),
  );
});

test('a menu with more screens than the limit has no graph', () => {
  const end = { kind: 'end', text: 'Thanks' };
  const screensOf = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`screen-${i}`, end]));
  const graphOf = (count: number) =>
    createMenuGraph(menuSchema.parse({ languages: ['en'], start: 'screen-0', screens: screensOf(count) }));
  expect(graphOf(maxNodes)?.nodes).toHaveLength(maxNodes);
  expect(graphOf(maxNodes + 1)).toBeUndefined();
});
