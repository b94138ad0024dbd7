import { formatCedis } from '../../shared/money.ts';
import {
  type Condition,
  isMerchantScreen,
  listRoutes,
  type Menu,
  type Route,
  type Screen,
} from '../schema.ts';
import { pick } from '../text/render.ts';

type GraphNode = {
  readonly screen: string;
  readonly kind: Screen['kind'];
  /** The first line of the screen's text, or the address of a lookup. */
  readonly summary: string;
};

/** All routes from one screen to another: several options that lead to the same screen share one edge. */
type GraphEdge = { readonly from: string; readonly to: string; readonly label: string };

type MenuGraph = {
  readonly start: readonly LabelledRoute[];
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
};

/** A larger graph would not be readable. */
export const maxNodes = 200;

/** Creates the graph of a menu in its first language. Returns `undefined` for more than `maxNodes` screens. */
export function createMenuGraph(menu: Menu): MenuGraph | undefined {
  const screens = Object.entries(menu.screens);
  if (screens.length > maxNodes) return undefined;
  const [language] = menu.languages;
  return {
    start: typeof menu.start === 'string' ? [{ to: menu.start, label: '' }] : labelRoute(menu.start, 'start'),
    nodes: screens.map(([name, screen]) => ({
      screen: name,
      kind: screen.kind,
      summary: summarize(screen, language),
    })),
    edges: screens.flatMap(([name, screen]) => edgesFrom(name, screen)),
  };
}

function summarize(screen: Screen, language: string): string {
  if (!isMerchantScreen(screen)) return firstLine(pick(screen.text, language));
  return firstLine(screen.url ?? (screen.kind === 'lookup' ? 'find' : 'answer'));
}

const maxSummaryLength = 28;

function firstLine(text: string): string {
  const line = text.trim().split('\n')[0] ?? '';
  return line.length > maxSummaryLength ? `${line.slice(0, maxSummaryLength - 3)}...` : line;
}

type LabelledRoute = { readonly to: string; readonly label: string };

/** One edge for each target screen. Its label lists every route there. */
function edgesFrom(from: string, screen: Screen): GraphEdge[] {
  const labels = new Map<string, string[]>();
  for (const { to, label } of routesFrom(screen)) labels.set(to, [...(labels.get(to) ?? []), label]);
  return [...labels].map(([to, all]) => ({ from, to, label: all.join(', ') }));
}

/** The labels of results of the merchant's system. */
const resultLabels = new Map<string | number | undefined, string>([
  ['notFound', 'not found'],
  ['fallback', 'no answer'],
]);

/** Options are numbered as in the file: the key that chooses one depends on which options above it are offered. */
function routesFrom(screen: Screen): LabelledRoute[] {
  return listRoutes(screen).flatMap(({ path: [key, i], to, option }) => {
    if (screen.kind === 'ask') return labelRoute(to, screen.answer);
    if (screen.kind === 'confirm') return labelRoute(to, 'yes');
    if (!option) return labelRoute(to, resultLabels.get(key) ?? String(key));
    const { each, when } = option;
    const label = each === undefined ? String(Number(i) + 1) : `each of ${each}`;
    return labelRoute(to, when === undefined ? label : `${label} if ${describeCondition(when)}`);
  });
}

function labelRoute(route: Route, label: string): LabelledRoute[] {
  if (typeof route === 'string') return [{ to: route, label }];
  return route.map((branch) =>
    typeof branch === 'string'
      ? { to: branch, label: `${label}, else` }
      : { to: branch.to, label: `${label}, ${describeCondition(branch.when)}` },
  );
}

/** Describes a condition in words, such as `due above GHS 0.00`. */
export function describeCondition(condition: Condition): string {
  const { value, known, is, not, above, below, atLeast, atMost } = condition;
  const { operator, payer, dialler, language, time, weekday, from, until } = condition;
  const clause = (subject: string, object: string | undefined) =>
    object === undefined ? [] : [`${subject} ${object}`];
  const clauses = [
    ...(known === undefined ? [] : [`${value} ${known ? 'is known' : 'is not known'}`]),
    ...clause(`${value} is`, listed(is)),
    ...clause(`${value} is not`, listed(not)),
    ...clause(`${value} above`, bound(above)),
    ...clause(`${value} below`, bound(below)),
    ...clause(`${value} at least`, bound(atLeast)),
    ...clause(`${value} at most`, bound(atMost)),
    ...clause('operator', listed(operator)),
    ...clause('payer', payer),
    ...(dialler === undefined ? [] : [dialler]),
    ...clause('language', listed(language)),
    ...clause('time', listed(time)),
    ...clause('weekday', listed(weekday)),
    ...clause('from', from),
    ...clause('until', until),
  ];
  return clauses.join(' and ');
}

function listed(all: readonly (string | number)[] | undefined): string | undefined {
  return all?.join(' or ');
}

function bound(at: Condition['above']): string | undefined {
  if (at === undefined) return undefined;
  return at.number === undefined ? formatCedis(at.amountMinor) : String(at.number);
}

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
