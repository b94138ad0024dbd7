import { DatabaseError } from 'pg';
import { errorMessage } from '../shared/errors.ts';
import { StoreFault, type StoreFaultKind } from '../sqlite/store.ts';
import { conflictState } from './statements.ts';

/** Kinds of fault by SQLSTATE, or by its class of two letters. Others are `refused`. */
const kinds: Record<string, StoreFaultKind> = {
  '53100': 'full',
  // Too many connections, no memory, a limit of time or of waiting for a lock.
  '53': 'busy',
  '55P03': 'busy',
  '57014': 'busy',
  '25P04': 'busy',
  // A serialization failure or a deadlock.
  '40': 'busy',
  // The server is a standby, or starts or stops.
  '25006': 'busy',
  '57P03': 'busy',
  // The connection ended during its work.
  '57P': 'unknown',
  '08': 'unknown',
  // Damaged data.
  XX001: 'broken',
  XX002: 'broken',
};

/** The SQLSTATE of an error that the server reported; empty for any other error. */
function getSqlState(thrown: unknown): string {
  return thrown instanceof DatabaseError ? (thrown.code ?? '') : '';
}

/**
 * Returns the fault of a pipeline that was sent. The server reports an error only after it has rolled back, except when it
 * ends the connection; then, and when the connection is lost, the outcome is unknown.
 *
 * The message has the SQLSTATE and the names in the error, and never its detail, which contains values of rows.
 */
export function toSentFault(thrown: unknown): StoreFault {
  const state = getSqlState(thrown);
  if (state === '') {
    const message = `the connection to the database was lost: ${errorMessage(thrown)}`;
    return new StoreFault('unknown', message, { cause: thrown });
  }
  const kind = kinds[state] ?? kinds[state.slice(0, 3)] ?? kinds[state.slice(0, 2)] ?? 'refused';
  return new StoreFault(kind, `${state}: ${errorMessage(thrown)}`, { cause: thrown });
}

/** Returns the fault of a connection that could not be opened: nothing was sent. */
export function toUnsentFault(thrown: unknown): StoreFault {
  return new StoreFault('busy', `no connection to the database: ${errorMessage(thrown)}`, { cause: thrown });
}

/** Returns whether a batch lost: a guard counted another number of rows, or a unique index rejected a row. */
export function isLoss(thrown: unknown): boolean {
  return [conflictState, '23505'].includes(getSqlState(thrown));
}

/** Returns whether the server gave a batch up in favour of another one. Nothing was written, and it can be sent again. */
export function isDeadlock(thrown: unknown): boolean {
  return ['40P01', '40001'].includes(getSqlState(thrown));
}
