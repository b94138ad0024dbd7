/** The body of `/readyz`. Absent fields are false. */
export type Readiness = {
  status: 'ready' | 'not ready';
  database: boolean;
  worker: boolean;
  draining: boolean;
  /** The last write failed because the disk was full. */
  diskFull?: true;
  /** The gateway accepts webhooks and end notices during a recovery, so it is ready. */
  recovering?: true;
  /** The service does not answer the calls of a merchant. Another gateway would get no answer either, so this one is ready. */
  serviceUnavailable?: true;
  /** The service limits the calls with a merchant's key, and they are paused. */
  rateLimited?: true;
  /** The service rejects the key of a merchant. */
  keyRejected?: true;
  /** New blocks of the ledger are not signed, although earlier ones are. */
  ledgerUnsigned?: true;
  /** Number of payments that no collection explains and that wait for a person for more than 15 minutes. */
  unplacedPayments?: number;
  /** Number of endpoints whose last delivery failed, or that were disabled for it. */
  failingEndpoints?: number;
  /** When `dialtill backup` made the last verified backup, in RFC 3339; null when a live ledger in a file has none. */
  lastBackupAt?: string | null;
};
