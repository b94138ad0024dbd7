import { closestMatch } from 'leven';
import type { ZodType } from 'zod';
import { isMap } from './json.ts';

/** The parts of a JSON schema that say which keys a map can have. */
type Shape = {
  const?: unknown;
  properties?: Readonly<Record<string, Shape>>;
  additionalProperties?: Shape | boolean;
  items?: Shape;
  anyOf?: readonly Shape[];
  oneOf?: readonly Shape[];
  allOf?: readonly Shape[];
};

/** More changed characters make another word. */
const maxDistance = 2;

/**
 * Returns the key of a schema that a person probably meant by an unknown one; `undefined` when none is alike.
 *
 * @param path of the map with the unknown key, in `value`.
 */
export function suggestKey(
  schema: ZodType,
  { value, path, key }: { value: unknown; path: readonly PropertyKey[]; key: string },
): string | undefined {
  let shapes: readonly Shape[] = [schema.toJSONSchema({ io: 'input', unrepresentable: 'any' }) as Shape];
  let at = value;
  for (const step of path) {
    shapes = shapes.flatMap((one) => listAlternatives(one, at)).flatMap((one) => getChild(one, step));
    at = (at as Readonly<Record<PropertyKey, unknown>> | undefined)?.[step];
  }
  const known = shapes
    .flatMap((one) => listAlternatives(one, at))
    .flatMap(({ properties = {} }) => Object.keys(properties));
  const missing = known.filter((name) => !isMap(at) || at[name] === undefined);
  return closestMatch(key, missing, { maxDistance: Math.min(maxDistance, Math.floor(key.length / 2)) });
}

/** Returns a shape and its alternatives, without those that a value excludes, such as screens of another kind. */
function listAlternatives(shape: Shape, value: unknown): Shape[] {
  const { properties = {}, anyOf = [], oneOf = [], allOf = [] } = shape;
  const isExcluded = Object.entries(properties).some(
    ([name, { const: only }]) => only !== undefined && isMap(value) && value[name] !== only,
  );
  if (isExcluded) return [];
  return [shape, ...[...anyOf, ...oneOf, ...allOf].flatMap((one) => listAlternatives(one, value))];
}

function getChild({ properties, additionalProperties, items }: Shape, step: PropertyKey): Shape[] {
  if (typeof step === 'number') return items ? [items] : [];
  const child = properties?.[String(step)] ?? additionalProperties;
  return typeof child === 'object' ? [child] : [];
}
