import type { AccountRole } from '../../contract/account.ts';
import type { StaffDeps } from './operation.ts';

/** The roles that work on payments. */
const workers: readonly AccountRole[] = ['agent', 'lead', 'finance'];

/** Returns the names of the people who can have a collection to resolve, in the order of the alphabet. */
export async function assignableNames({ accounts }: Pick<StaffDeps, 'accounts'>): Promise<string[]> {
  const people = await accounts.list();
  return people
    .filter(({ role, disabledAt }) => disabledAt === null && workers.includes(role))
    .map(({ name }) => name);
}
