import type { YamlSource } from '../../shared/yaml.ts';
import { isMap, type Part } from './source.ts';

/** What several files of a menu can say, each under names of its own. */
const sharedKeys = ['messages', 'screens'] as const;

type Owners = Map<string, Part>;

/**
 * The menu that all its files together say. A fault at a path stands in the file that says what is there, and a name
 * that two files have is one.
 */
export function mergeParts(first: Part, others: readonly Part[]): YamlSource {
  const { value, errors } = first.source;
  if (!isMap(value)) return first.source;
  const owners: Owners = new Map();
  const twice = sharedKeys.flatMap((key) => claimNames(owners, key, [first, ...others]));
  const shared = sharedKeys.flatMap((key) => {
    // What the first file says in a bad shape stays, so that it is told.
    if (Object.hasOwn(value, key) && !isMap(value[key])) return [];
    const entries = [first, ...others].flatMap((part) =>
      namesOf(part, key).filter(([name]) => owners.get(`${key} ${name}`) === part),
    );
    return Object.hasOwn(value, key) || entries.length > 0 ? [[key, Object.fromEntries(entries)]] : [];
  });
  return {
    value: { ...value, ...Object.fromEntries(shared) },
    errors: [...errors, ...others.flatMap(({ source }) => source.errors), ...twice],
    errorAt(path, message) {
      const owner = owners.get(`${String(path[0])} ${String(path[1])}`) ?? first;
      return owner.source.errorAt(path, message);
    },
  };
}

/** Gives each name to the first file that has it. Returns a fault for every other file that has it too. */
function claimNames(owners: Owners, key: string, parts: readonly Part[]) {
  return parts.flatMap((part) =>
    namesOf(part, key).flatMap(([name]) => {
      const owner = owners.get(`${key} ${name}`);
      if (owner === undefined) {
        owners.set(`${key} ${name}`, part);
        return [];
      }
      const { file, line } = owner.source.errorAt([key, name], '');
      return part.source.errorAt([key, name], `expected a name of its own: ${file}:${line} has the same`);
    }),
  );
}

function namesOf({ source }: Part, key: string): [name: string, content: unknown][] {
  const said = isMap(source.value) ? source.value[key] : undefined;
  return isMap(said) ? Object.entries(said) : [];
}
