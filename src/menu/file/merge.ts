import { isMap, mapOrEmpty } from '../../shared/map.ts';
import type { YamlSource } from '../../shared/yaml.ts';
import type { Part } from './source.ts';

/** The keys that several files of a menu can share, each with its own names. */
const sharedKeys = ['messages', 'screens'] as const;

type Owners = Map<string, Part>;

/**
 * Merges the files of a menu. An error at a path is reported in the file that defines the path, and a name in two files is
 * an error.
 */
export function mergeParts(first: Part, others: readonly Part[]): YamlSource {
  const { value, errors } = first.source;
  const owners: Owners = new Map();
  const conflicts = sharedKeys.flatMap((key) => claimNames(owners, key, [first, ...others]));
  const shared = sharedKeys.flatMap((key) => {
    // An invalid value of the first file is kept, so that the schema reports it.
    if (Object.hasOwn(value, key) && !isMap(value[key])) return [];
    const entries = [first, ...others].flatMap((part) =>
      namesOf(part, key).filter(([name]) => owners.get(`${key} ${name}`) === part),
    );
    return Object.hasOwn(value, key) || entries.length > 0 ? [[key, Object.fromEntries(entries)]] : [];
  });
  return {
    value: { ...value, ...Object.fromEntries(shared) },
    errors: [...errors, ...others.flatMap(({ source }) => source.errors), ...conflicts],
    errorAt(path, message) {
      const owner = owners.get(`${String(path[0])} ${String(path[1])}`) ?? first;
      return owner.source.errorAt(path, message);
    },
  };
}

/** Assigns each name to the first file that has it. Returns an error for every other file with the same name. */
function claimNames(owners: Owners, key: string, parts: readonly Part[]) {
  return parts.flatMap((part) =>
    namesOf(part, key).flatMap(([name]) => {
      const owner = owners.get(`${key} ${name}`);
      if (owner === undefined) {
        owners.set(`${key} ${name}`, part);
        return [];
      }
      const { file, line } = owner.source.errorAt([key, name], '');
      return part.source.errorAt([key, name], `expected a unique name: ${file}:${line} has the same`);
    }),
  );
}

function namesOf({ source }: Part, key: string): [name: string, content: unknown][] {
  return Object.entries(mapOrEmpty(source.value[key]));
}
