import { auditCollection } from '../collection/audit.ts';
import type { LedgerAudits } from '../ledger/verify.ts';
import { auditUnplaced } from '../unplaced/audit.ts';

/** The audits of collections and unplaced payments, for `verifyLedger`. */
export const ledgerAudits: LedgerAudits = { collection: auditCollection, unplaced: auditUnplaced };
