import type { ActionRow } from '../action-query.ts';

/** Returns the person to whom a collection is assigned: the last assignment holds. */
export function assigneeOf(actions: readonly ActionRow[]): string | undefined {
  const last = actions.findLast(({ action, result }) => action === 'assign' && result === 'done');
  const { to }: { to?: string | null } = last ? JSON.parse(last.detail) : {};
  return to ?? undefined;
}
