/** Who reads: a person or a key, by name, and its merchant; null for support staff. */
export type ReadOwner = { readonly name: string; readonly merchantId: string | null };

/** Items that may wait: of one person or key, of one merchant, and of all together. */
export type QueueLimits = { perPerson: number; perMerchant: number; total: number };

/** The people and keys of one merchant, or one person of support staff. They share the turns of the group. */
type Group<Item> = { waiting: Map<string, Item[]>; size: number; isRunning: boolean };

/**
 * Items that wait for a turn. The turn goes round between merchants, and there between their people and keys; each person of support
 * staff has turns of their own. At most one item of a merchant, or of such a person, runs at a time. So an owner with many items
 * delays those of others by one item a round.
 */
export class FairQueue<Item> {
  private readonly limits: QueueLimits;
  /** In the order of their next turn. */
  private readonly groups = new Map<string, Group<Item>>();
  size = 0;

  constructor(limits: QueueLimits) {
    this.limits = limits;
  }

  /** Adds an item. Returns false, and adds nothing, when too many items of the owner wait. */
  add(owner: ReadOwner, item: Item): boolean {
    const key = getGroup(owner);
    const group = this.groups.get(key) ?? { waiting: new Map<string, Item[]>(), size: 0, isRunning: false };
    const own = group.waiting.get(owner.name) ?? [];
    const { perPerson, perMerchant, total } = this.limits;
    if (own.length >= perPerson || group.size >= perMerchant || this.size >= total) return false;
    own.push(item);
    group.waiting.set(owner.name, own);
    group.size += 1;
    this.groups.set(key, group);
    this.size += 1;
    return true;
  }

  /** Takes the item whose turn it is; `undefined` when none may run. Call `release` at its end. */
  take(): Item | undefined {
    for (const [key, group] of this.groups) {
      const [name, items] = group.isRunning ? [] : (first(group.waiting) ?? []);
      const item = items?.shift();
      if (name === undefined || items === undefined || item === undefined) continue;
      group.isRunning = true;
      this.shrink(group);
      // The person, and the merchant, who had a turn are the last ones of the next round.
      group.waiting.delete(name);
      if (items.length > 0) group.waiting.set(name, items);
      this.groups.delete(key);
      this.groups.set(key, group);
      return item;
    }
    return undefined;
  }

  /** Ends the turn of an owner. */
  release(owner: ReadOwner): void {
    const group = this.groups.get(getGroup(owner));
    if (!group) return;
    group.isRunning = false;
    if (group.size === 0) this.groups.delete(getGroup(owner));
  }

  /** Removes an item that still waits. */
  remove(owner: ReadOwner, item: Item): void {
    const group = this.groups.get(getGroup(owner));
    const own = group?.waiting.get(owner.name) ?? [];
    const at = own.indexOf(item);
    if (!group || at === -1) return;
    own.splice(at, 1);
    this.shrink(group);
    if (own.length === 0) group.waiting.delete(owner.name);
    if (group.size === 0 && !group.isRunning) this.groups.delete(getGroup(owner));
  }

  /** Removes and returns all items that wait. */
  clear(): Item[] {
    const all = [...this.groups.values()].flatMap(({ waiting }) => [...waiting.values()].flat());
    this.groups.clear();
    this.size = 0;
    return all;
  }

  private shrink(group: Group<Item>): void {
    group.size -= 1;
    this.size -= 1;
  }
}

function getGroup({ name, merchantId }: ReadOwner): string {
  return merchantId === null ? `person ${name}` : `merchant ${merchantId}`;
}

function first<Key, Value>(map: ReadonlyMap<Key, Value>): [Key, Value] | undefined {
  const { value } = map.entries().next();
  return value;
}
