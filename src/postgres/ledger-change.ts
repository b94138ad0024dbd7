/**
 * What a new connection can find instead of the ledger that a process has opened: another one (`moved`), or its tables changed by a newer
 * version of the program (`upgraded`). The process must write nothing more.
 */
export type LedgerChange = 'moved' | 'upgraded';
