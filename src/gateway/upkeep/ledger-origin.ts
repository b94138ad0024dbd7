import { rmSync } from 'node:fs';
import { z } from 'zod';
import { attempt } from '../../shared/errors.ts';
import { readPrivately, replacePrivately } from '../../sqlite/private-file.ts';
import type { ClusterStore } from './recovery-store.ts';

/**
 * A small file beside the database that records its ledger id and its number of facts. Copies of the database do not
 * include it: a ledger with fewer facts than its watermark, or without a watermark, is a copy from elsewhere.
 */
const watermark = z.object({ ledger: z.string(), facts: z.int().nonnegative() });
export type Watermark = z.infer<typeof watermark>;

const watermarkFile = (database: string) => `${database}.seen`;

/** Reads the watermark of a database. Returns `undefined` when there is none, or when it cannot be read. */
export function readWatermark(database: string): Watermark | undefined {
  return attempt(() => watermark.parse(JSON.parse(readPrivately(watermarkFile(database)))));
}

/**
 * Replaces the watermark of a database atomically. After a power failure it may be behind the ledger, never ahead of it.
 *
 * @throws when it cannot be written.
 */
export function writeWatermark(database: string, mark: Watermark): void {
  replacePrivately(watermarkFile(database), `${JSON.stringify(mark)}\n`);
}

/** Removes the watermark: a gateway takes the file for a copy, and begins with a recovery. */
export function removeWatermark(database: string): void {
  rmSync(watermarkFile(database), { force: true });
}

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
