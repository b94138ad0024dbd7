import type { LedgerAudits } from '../../src/gateway/ledger/verify.ts';

/** Audits that find nothing, for ledgers whose rows are written by hand. */
export const noAudits: LedgerAudits = { collection: () => [], unplaced: () => [] };
