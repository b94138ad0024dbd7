import type { Readiness } from '../../metrics/readiness-state.ts';

/** What the running gateway knows about itself and about the calls of its merchants. */
export type GatewayCondition = {
  readiness: Readiness;
  /** Merchants whose calls the service does not answer. */
  unavailable: readonly string[];
  /** Merchants whose key the service rejects. */
  keysRejected: readonly string[];
};

/** Merchants of one message. The others are counted. */
const maxNamed = 5;

/** Returns a message for each condition in which payments are not possible or not safe, the worst first. */
export function alertsOf({ readiness, unavailable, keysRejected }: GatewayCondition): string[] {
  const { database, worker, draining, diskFull, recovering, rateLimited, ledgerUnsigned } = readiness;
  const found: [isTrue: boolean | undefined, text: string][] = [
    [!database, 'The database cannot be used. No payment is recorded.'],
    [diskFull, 'The disk is full. Nothing is recorded, and new payers are rejected until there is space.'],
    [
      keysRejected.length > 0,
      `The service rejects the key of ${namesOf(keysRejected)}: no payment of it is possible. Renew the key.`,
    ],
    [
      unavailable.length > 0,
      `The service does not answer for ${namesOf(unavailable)}: payments are not possible. Nothing is lost, and open payments are checked when it answers.`,
    ],
    [recovering, 'A recovery after a restore is running. New payers are rejected for a while.'],
    [!worker, 'The worker does not run: no payment advances. Check the log of the gateway.'],
    [draining, 'The gateway is stopping, and accepts no new payers.'],
    [rateLimited, 'The service limits the calls, and they are paused. Payments take longer.'],
    [ledgerUnsigned, 'New blocks of the ledger are not signed. Tell the people who run the gateway.'],
    [
      readiness.lastBackupAt === null,
      'There is no verified backup of the ledger. Tell the people who run the gateway.',
    ],
  ];
  return found.filter(([isTrue]) => isTrue).map(([, text]) => text);
}

function namesOf(merchants: readonly string[]): string {
  const named = merchants.slice(0, maxNamed).join(', ');
  return merchants.length > maxNamed ? `${named} and ${merchants.length - maxNamed} more` : named;
}
