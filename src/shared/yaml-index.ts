import { type Document, isAlias, isMap, isNode, isPair, isScalar, isSeq, type Node, type Pair } from 'yaml';

type Path = readonly PropertyKey[];

/** The positions in a YAML document. */
export type YamlIndex = {
  /** The paths and offsets of keys that occur a second time in their map. */
  readonly duplicates: readonly { readonly path: Path; readonly offset: number }[];
  /** Returns the offset of a path in the text: of its key, its list item, or its nearest ancestor in the file. */
  offsetOf(path: Path): number;
};

/** A name for a value that the file repeats is rare. More than this is an attempt to exhaust the reader. */
const maxAliases = 64;
/** The nodes that aliases add to those of the text. */
const maxAddedNodes = 10_000;

/**
 * Indexes a document in one pass, in time linear in its size.
 *
 * @returns `undefined` when an alias has no anchor before it or contains itself, and when the aliases are too many or
 * expand too far.
 */
export function indexYaml(document: Document): YamlIndex | undefined {
  const reading: Reading = {
    anchors: new Map(),
    sizes: new Map(),
    targets: new Map(),
    pairs: new Map(),
    duplicates: [],
    addedNodes: 0,
  };
  if (document.contents && sizeOf(reading, document.contents, []) === undefined) return undefined;
  return { duplicates: reading.duplicates, offsetOf: (path) => offsetOf(reading, document, path) };
}

type Reading = {
  /** The last node with each anchor. Another one can have the same name. */
  readonly anchors: Map<string, Node>;
  /** The nodes under each anchored node. A node without a size is not complete: an alias inside it is circular. */
  readonly sizes: Map<Node, number>;
  readonly targets: Map<Node, Node>;
  /** The pairs of each map by their key. */
  readonly pairs: Map<Node, Map<string, Pair>>;
  readonly duplicates: { path: Path; offset: number }[];
  addedNodes: number;
};

/** Returns the number of nodes under a node, those behind aliases included; `undefined` when a bound is exceeded. */
function sizeOf(reading: Reading, node: unknown, path: Path): number | undefined {
  if (isAlias(node)) return sizeOfAlias(reading, node);
  if (!isNode(node)) return 0;
  if ('anchor' in node && node.anchor !== undefined) reading.anchors.set(node.anchor, node);
  let size = 1;
  for (const { step, inner } of childrenOf(reading, node, path)) {
    const added = sizeOf(reading, inner, [...path, step]);
    if (added === undefined) return undefined;
    size += added;
  }
  if ('anchor' in node && node.anchor !== undefined) reading.sizes.set(node, size);
  return size;
}

function sizeOfAlias(reading: Reading, alias: Node & { source: string }): number | undefined {
  const target = reading.anchors.get(alias.source);
  const size = target && reading.sizes.get(target);
  if (size === undefined || reading.targets.size === maxAliases) return undefined;
  reading.targets.set(alias, target as Node);
  reading.addedNodes += size;
  return reading.addedNodes > maxAddedNodes ? undefined : size;
}

function childrenOf(reading: Reading, node: Node, path: Path): { step: PropertyKey; inner: unknown }[] {
  if (isSeq(node)) return node.items.map((inner, step) => ({ step, inner }));
  if (!isMap(node)) return [];
  const pairs = new Map<string, Pair>();
  reading.pairs.set(node, pairs);
  return node.items.flatMap((pair) => {
    if (!isPair(pair) || !isScalar(pair.key)) return [];
    const step = String(pair.key.value);
    if (pairs.has(step)) reading.duplicates.push({ path: [...path, step], offset: pair.key.range?.[0] ?? 0 });
    else pairs.set(step, pair);
    return [{ step, inner: pair.value }];
  });
}

function offsetOf({ targets, pairs }: Reading, { contents }: Document, path: Path): number {
  let node: unknown = contents;
  let offset = contents?.range?.[0] ?? 0;
  for (const step of path) {
    const inside = isAlias(node) ? targets.get(node) : node;
    if (isMap(inside)) {
      const pair = pairs.get(inside)?.get(String(step));
      if (!isScalar(pair?.key)) break;
      offset = pair.key.range?.[0] ?? offset;
      node = pair.value;
    } else if (isSeq(inside) && Number(step) in inside.items) {
      node = inside.items[Number(step)];
      if (isNode(node)) offset = node.range?.[0] ?? offset;
    } else {
      break;
    }
  }
  return offset;
}
