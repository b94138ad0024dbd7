import { and, isNotNull, isNull, type SQL } from 'drizzle-orm';
import { type SessionStatus, sessionStatuses } from '../../contract/session.ts';
import { equalsIfSet, unindexed } from '../list-query.ts';
import { session } from '../schema.ts';
import { isTerminal } from './transitions.ts';

/**
 * Returns the conditions of the parts of a list of sessions, each of which an index has in the order of identifiers: the
 * open sessions, and the closed ones of each status. A list with a status has one part.
 */
export function listParts(status?: SessionStatus): (SQL | undefined)[] {
  const closed = sessionStatuses.filter((one) => isTerminal(one) && (status ?? one) === one);
  const hasOpen = status === undefined || !isTerminal(status);
  return [
    ...(hasOpen ? [and(isNull(session.closedAt), equalsIfSet(unindexed(session.status), status))] : []),
    ...closed.map((one) => and(isNotNull(session.closedAt), equalsIfSet(session.status, one))),
  ];
}
