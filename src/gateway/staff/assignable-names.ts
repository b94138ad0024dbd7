import type { AccountRole } from '../../contract/account.ts';
import type { StaffDeps } from './operation.ts';

/** The roles that work on payments. */
const workers: readonly AccountRole[] = ['agent', 'lead', 'finance'];

/** Returns the names of the people who can have a collection to resolve: of the configuration, and of accounts. */
export async function assignableNames({
  staffNames,
  accounts,
}: Pick<StaffDeps, 'staffNames' | 'accounts'>): Promise<string[]> {
  const people = await accounts.list();
  const own = people.filter(({ role, disabledAt }) => disabledAt === null && workers.includes(role));
  return [...new Set([...staffNames(), ...own.map(({ name }) => name)])].toSorted();
}
