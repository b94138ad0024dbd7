import type { ClusterStore } from './cluster-store.ts';
import { readWatermark, type Watermark, writeWatermark } from './watermark.ts';

/** Shows whether the open ledger is the one that was written here last, and no copy of it. */
export type LedgerOrigin = {
  /** The name of the database in messages. */
  readonly name: string;
  /** The server and database, which a new ledger records with its id; null for a file. */
  readonly cluster: string | null;
  /** Returns false for a copy. A ledger without an id is new, or was copied before it had one. */
  matches(ledger: { id: string | null; facts: number }): Promise<boolean>;
  /** Records that this ledger is written here. @throws when it cannot be recorded. */
  record(mark: Watermark): Promise<void>;
};

/** A file has a watermark beside it, which copies do not include. */
export function fileOrigin(file: string): LedgerOrigin {
  return {
    name: file,
    cluster: null,
    async matches({ id, facts }) {
      const watermark = readWatermark(file);
      if (id === null) return (watermark?.facts ?? 0) === 0;
      return watermark?.ledger === id && watermark.facts <= facts;
    },
    async record(mark) {
      writeWatermark(file, mark);
    },
  };
}

/**
 * A ledger on a server records the identity of its cluster and database. A backup that is restored elsewhere, or to an earlier
 * time, has another one.
 */
export function clusterOrigin(
  store: ClusterStore,
  { name, cluster }: { name: string; cluster: string },
): LedgerOrigin {
  let isRecorded = false;
  return {
    name,
    cluster,
    async matches({ id }) {
      if (id === null) return true;
      return (await store.cluster()) === cluster;
    },
    async record() {
      if (isRecorded) return;
      await store.setCluster(cluster);
      isRecorded = true;
    },
  };
}
