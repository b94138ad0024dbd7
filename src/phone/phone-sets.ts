import type { Clock, EpochMs } from '../shared/clock.ts';
import type { Msisdn } from '../shared/msisdn.ts';
import type { BrowserPhone } from './browser-phone.ts';

/** The phones of one browser. */
export type PhoneSet = {
  readonly id: string;
  readonly phones: readonly BrowserPhone[];
  /** Returns the phone that was used last. */
  current(): BrowserPhone | undefined;
  /** Makes a phone the one that was used last. */
  setCurrent(phone: BrowserPhone): void;
  /** Changes with each change of a phone, and of the list. */
  version(): string;
  /** Reads the prompts and payments of all phones again. Calls at the same time share one read. */
  refresh(): Promise<void>;
  /** Registers a stream of events. @returns a function that ends it; `undefined` when there are too many. */
  addStream(): (() => void) | undefined;
};

export const phoneLimits = {
  /** In all browsers together. */
  phones: 32,
  /** In one browser. */
  perSet: 4,
  /** Streams of events of one browser: its tabs. */
  streamsPerSet: 4,
  /** Time without a request after which the phones of a browser are removed. */
  idleMs: 10 * 60_000,
} as const;

/** `same_number`: the browser has a phone with the number. `set_full`: it has four phones. `all_full`: there are too many in all. */
export type AddedPhone =
  | { ok: true; set: PhoneSet; phone: BrowserPhone }
  | { ok: false; reason: 'same_number' | 'set_full' | 'all_full' };

type PhoneSets = {
  /** Returns the phones of a browser, and counts as a use of them. */
  use(setId: string | undefined): PhoneSet | undefined;
  /** Returns them without counting as a use: a page that is only open does not keep its phones. */
  peek(setId: string | undefined): PhoneSet | undefined;
  /** Adds a phone with the number to the set, or to a new one. */
  add(setId: string | undefined, msisdn: Msisdn, create: () => BrowserPhone): AddedPhone;
  remove(setId: string, phoneId: string): void;
};

type Entry = { set: PhoneSet; phones: BrowserPhone[]; lastUsedAt: EpochMs };

/** Creates the phones of all browsers. They are in memory only, and end with the process. */
export function createPhoneSets({ clock, newId }: { clock: Pick<Clock, 'now'>; newId(): string }): PhoneSets {
  const entries = new Map<string, Entry>();

  function removeIdle(): void {
    const oldest = clock.now() - phoneLimits.idleMs;
    for (const [id, { lastUsedAt }] of entries) if (lastUsedAt <= oldest) entries.delete(id);
  }

  function find(setId: string | undefined): Entry | undefined {
    removeIdle();
    return setId === undefined ? undefined : entries.get(setId);
  }

  function use(setId: string | undefined): Entry | undefined {
    const entry = find(setId);
    if (entry) entry.lastUsedAt = clock.now();
    return entry;
  }

  function createEntry(): Entry {
    const phones: BrowserPhone[] = [];
    return { set: createSet(newId(), phones), phones, lastUsedAt: clock.now() };
  }

  return {
    use: (setId) => use(setId)?.set,
    peek: (setId) => find(setId)?.set,
    add(setId, msisdn, create) {
      const entry = use(setId) ?? createEntry();
      if (entry.phones.some((one) => one.msisdn === msisdn)) return { ok: false, reason: 'same_number' };
      const total = [...entries.values()].reduce((sum, { phones }) => sum + phones.length, 0);
      if (entry.phones.length >= phoneLimits.perSet) return { ok: false, reason: 'set_full' };
      if (total >= phoneLimits.phones) return { ok: false, reason: 'all_full' };
      const phone = create();
      entry.phones.push(phone);
      entry.set.setCurrent(phone);
      entries.set(entry.set.id, entry);
      return { ok: true, set: entry.set, phone };
    },
    remove(setId, phoneId) {
      const phones = use(setId)?.phones ?? [];
      const at = phones.findIndex(({ id }) => id === phoneId);
      if (at >= 0) phones.splice(at, 1);
      if (phones.length === 0) entries.delete(setId);
    },
  };
}

function createSet(id: string, phones: readonly BrowserPhone[]): PhoneSet {
  let streams = 0;
  let reading: Promise<void> | undefined;
  let used: BrowserPhone | undefined;
  const current = () => (used && phones.includes(used) ? used : phones.at(-1));
  return {
    ...{ id, phones, current },
    setCurrent(phone) {
      used = phone;
    },
    version: () =>
      [...phones.map((phone) => `${phone.id}.${phone.view().version}`), current()?.id ?? ''].join(' '),
    refresh() {
      reading ??= Promise.all(phones.map((phone) => phone.refresh())).then(() => {});
      return reading.finally(() => {
        reading = undefined;
      });
    },
    addStream() {
      if (streams >= phoneLimits.streamsPerSet) return undefined;
      streams++;
      return () => {
        streams--;
      };
    },
  };
}
