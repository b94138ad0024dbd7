import type { UncheckedMap } from '../../shared/json.ts';

/** Keys that configurations of earlier versions have, with what to do about them. */
const removedKeys: ReadonlyMap<string, string> = new Map([
  [
    'staff',
    'people have accounts: remove this section, and add each person with "dialtill staff add <name> --role <role>" (docs/console.md)',
  ],
]);

/** Returns an error for each key of a configuration that was removed, instead of `unknown key`. */
export function findRemovedKeys(value: UncheckedMap): { path: readonly string[]; message: string }[] {
  return Object.keys(value).flatMap((key) => {
    const message = removedKeys.get(key);
    return message === undefined ? [] : [{ path: [key], message }];
  });
}
