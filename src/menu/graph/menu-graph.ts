import { unreachable } from '../../shared/errors.ts';
import { type ChooseScreen, isMerchantScreen, type Menu, type Route, type Screen } from '../schema.ts';
import { pick } from '../text/render.ts';
import { describeCondition } from './describe-condition.ts';

export type GraphNode = {
  readonly screen: string;
  readonly kind: Screen['kind'];
  /** The first line of the screen's text, or the address of a lookup. */
  readonly summary: string;
};

/** All routes from one screen to another: several options that lead to the same screen share one edge. */
export type GraphEdge = { readonly from: string; readonly to: string; readonly label: string };

export type MenuGraph = {
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

function routesFrom(screen: Screen): LabelledRoute[] {
  switch (screen.kind) {
    case 'choose':
      return optionRoutes(screen);
    case 'ask':
      return labelRoute(screen.to, screen.answer);
    case 'lookup':
      return [
        ...labelRoute(screen.found, 'found'),
        ...labelRoute(screen.notFound, 'not found'),
        ...labelRoute(screen.fallback, 'no answer'),
      ];
    case 'proxy':
      return [...labelRoute(screen.done, 'done'), ...labelRoute(screen.fallback, 'no answer')];
    case 'confirm':
      return [{ to: screen.to, label: 'yes' }];
    case 'end':
    case 'status':
    case 'requests':
      return [];
    default:
      return unreachable(screen);
  }
}

/** Options are numbered as in the file: the key that chooses one depends on which options above it are offered. */
function optionRoutes({ options }: ChooseScreen): LabelledRoute[] {
  return options.flatMap(({ to, each, when }, i) => {
    const option = each === undefined ? String(i + 1) : `each of ${each}`;
    return labelRoute(to, when === undefined ? option : `${option} if ${describeCondition(when)}`);
  });
}

function labelRoute(route: Route | undefined, label: string): LabelledRoute[] {
  if (route === undefined) return [];
  if (typeof route === 'string') return [{ to: route, label }];
  return route.map((branch) =>
    typeof branch === 'string'
      ? { to: branch, label: `${label}, else` }
      : { to: branch.to, label: `${label}, ${describeCondition(branch.when)}` },
  );
}
