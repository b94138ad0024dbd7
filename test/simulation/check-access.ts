import type { Database } from '../../src/sqlite/driver.ts';
import { staffRoles } from '../kit/staff.ts';

/** A recorded action of support staff. Their order is that of the commits. */
type Action = { seq: number; at: number; actor: string; action: string; subject_id: string; detail: string };

/** The access of a person as the recorded actions leave it. */
type Access = {
  role: string;
  isDisabled: boolean;
  isSettingUp: boolean;
  tokens: number;
  /** Whether the person could ever decide about money. */
  hasDecided: boolean;
  /** When the right to decide began, for a person who waits for another one, or for a day. */
  newSince: number | null;
};

/** How long a new right waits for another person. */
const waitMs = 24 * 3_600_000;

/** The first people of a new gateway who decide have no other one. The gateway of a history is always new. */
const firstDeciders = 2;

/** A decision of people about money. */
type Decision = { id: string; data: string };

const deciding: ReadonlySet<string> = new Set(['lead', 'finance']);
const proposing: ReadonlySet<string> = new Set([...deciding, 'agent']);

/** The roles whose people may do what is recorded as an action; everybody for others. */
const rolesOf: Readonly<Record<string, ReadonlySet<string>>> = {
  ...{ approve: deciding, refuse: deciding, accept_decider: deciding },
  ...{ propose: proposing, withdraw: proposing },
};

/**
 * Returns each action of a person after the access had ended, each decision of a person whose right to decide was new, and each decision
 * without the action of the person who approved it.
 */
export function accessFaults(file: Database): string[] {
  const actions = file
    .prepare(
      "SELECT seq, at, actor, action, subject_id, detail FROM staff_action WHERE result = 'done' ORDER BY seq",
    )
    .all() as Action[];
  const people = new Map<string, Access>(
    Object.entries(staffRoles).map(([name, role]) => [name, newAccess(role, 1)]),
  );
  const faults = actions.flatMap((one) => {
    const fault = faultOf(people, one);
    apply(people, one);
    return fault === undefined ? [] : [`${one.actor} does ${one.action} about ${one.subject_id}: ${fault}`];
  });
  return [...faults, ...unapproved(file, actions)];
}

const newAccess = (role: string, tokens: number): Access => ({
  ...{ role, tokens, isDisabled: false, isSettingUp: false },
  ...{ hasDecided: deciding.has(role), newSince: null },
});

/** Returns why a person could not act; undefined for one who could, and for the configuration and merchants' systems. */
function faultOf(people: ReadonlyMap<string, Access>, { actor, action, at }: Action): string | undefined {
  const own = people.get(actor);
  if (!own) return undefined;
  if (own.isDisabled) return 'the account is disabled';
  if (action === 'sign_in' || action === 'start_set_up') return undefined;
  if (action === 'set_up' ? !own.isSettingUp : own.tokens === 0) return 'the access has ended';
  if (rolesOf[action]?.has(own.role) === false) return `the role is ${own.role}`;
  const isWaiting = own.newSince !== null && at < own.newSince + waitMs;
  const needsOther = action === 'approve' || action === 'accept_decider';
  return isWaiting && needsOther ? 'the right to decide is new' : undefined;
}

/** Applies what an action does to the access of its author, or of the account that it is about. */
function apply(people: Map<string, Access>, { actor, action, at, detail }: Action): void {
  const { name, role, to } = JSON.parse(detail) as { name?: string; role?: string; to?: string };
  if (action === 'add_account' && name !== undefined && role !== undefined)
    people.set(name, newAccess(role, 0));
  const own = people.get(['sign_in', 'sign_out'].includes(action) ? actor : (name ?? ''));
  if (!own) return;
  if (['disable_account', 'reset_account', 'start_set_up', 'set_up'].includes(action)) {
    own.tokens = 0;
    own.isSettingUp = action === 'start_set_up';
  }
  if (action === 'accept_decider') own.newSince = null;
  const others = [...people.values()].filter((one) => one !== own && one.hasDecided).length;
  if (others >= firstDeciders && isNewRight(own, action, to ?? own.role)) own.newSince = at;
  own.hasDecided ||= deciding.has(to ?? own.role);
  if (action === 'disable_account') own.isDisabled = true;
  if (action === 'enable_account') own.isDisabled = false;
  if (action === 'change_role' && to !== undefined) own.role = to;
  if (action === 'sign_in') own.tokens += 1;
  if (action === 'sign_out') own.tokens -= 1;
}

/** Returns whether an action gives a person the right to decide anew. */
function isNewRight(before: Access, action: string, role: string): boolean {
  if (!deciding.has(role)) return false;
  const isPromoted = action === 'change_role' && !deciding.has(before.role);
  return isPromoted || ['add_account', 'enable_account', 'reset_account'].includes(action);
}

/** Returns the decisions that no recorded approval of the person explains. */
function unapproved(file: Database, actions: readonly Action[]): string[] {
  const approvals = new Set(
    actions
      .filter(({ action }) => action === 'approve')
      .map(({ actor, subject_id, detail }) => `${subject_id} ${JSON.parse(detail).proposedBy} ${actor}`),
  );
  const decisions = file
    .prepare(
      "SELECT subject_id AS id, data FROM fact WHERE kind IN ('decided', 'placed', 'returned', 'declared_foreign')",
    )
    .all() as Decision[];
  return decisions.flatMap(({ id, data }) => {
    const { by, approvedBy } = JSON.parse(data) as { by?: string; approvedBy?: string };
    if (by === undefined || approvals.has(`${id} ${by} ${approvedBy}`)) return [];
    return [`${id} was decided by ${by} and ${approvedBy} without a recorded approval`];
  });
}
