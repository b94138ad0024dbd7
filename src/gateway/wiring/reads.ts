import type { Store } from '../../sqlite/store.ts';
import { consoleReads } from '../console/reads.ts';
import { readMerchantRoute } from '../merchant-api/routes.ts';
import { bindReads, type Reader, type Reads, runRead } from '../reading/reads.ts';
import { statementReads } from '../service-statement/statement-reads.ts';
import { readForPerson } from '../support/read-operations.ts';

/** All reads of people and merchants' systems. */
export const gatewayReads = {
  ...consoleReads,
  ...statementReads,
  /** Answers one GET of a merchant's system. */
  merchantApi: readMerchantRoute,
  /** Answers one read of a person on the command line. */
  support: readForPerson,
};

export type GatewayReads = Reads<typeof gatewayReads>;
export type GatewayReader = Reader<typeof gatewayReads>;

/** Returns reads of a store in this process. */
export function createReads(store: Store): GatewayReads {
  return bindReads(gatewayReads, (name, input) => runRead(gatewayReads, store, name, input));
}

/** Creates a reader that reads in this process, at once. */
export function createReader(store: Store): GatewayReader {
  const reads = createReads(store);
  return { by: () => reads, close: async () => {} };
}
