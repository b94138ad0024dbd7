import { LRUCache } from 'lru-cache';

/**
 * Creates a map of the `maxKeys` keys that were used most recently.
 *
 * Its memory grows with its use. The `max` option of lru-cache would allocate all of it at once: some megabytes for the
 * limits of one program, most of which never see many keys.
 */
export function createLruMap<Value extends NonNullable<unknown>>(maxKeys: number): LRUCache<string, Value> {
  return new LRUCache({ maxSize: maxKeys, sizeCalculation: () => 1 });
}
