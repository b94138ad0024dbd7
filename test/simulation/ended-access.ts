import { type StaffName, staffRoles } from '../kit/staff.ts';
import { minute, type Scene } from './scene.ts';
import type { StaffAccess } from './staff-access.ts';

export type EndedAccessDeps = { scene: Scene; access: StaffAccess };

const endings = ['disable', 'reset', 'role', 'sign-out'] as const;

/** Returns whether a person is of the staff with which each database begins. */
const isStaffName = (name: string): name is StaffName => Object.hasOwn(staffRoles, name);

/** Attempts of a person to get access again. */
const maxAttempts = 5;

/**
 * Simulates that the access of people ends while their requests are carried out: an admin disables or resets the account, or
 * changes its role, or the person signs out. Later most of them get access again.
 */
export function createEndedAccess({ scene, access }: EndedAccessDeps) {
  const { scheduler, count, history } = scene;
  const random = scene.random.fork('access_ends');
  /** People whose access has ended. */
  const ended = new Set<string>();

  async function change(name: string, verb: string, body: object = {}): Promise<string | undefined> {
    const answer = await access.ask('adwoa', `/accounts/${name}/${verb}`, body);
    if (answer?.status !== 200) return undefined;
    history.record('staff', `adwoa does ${verb} ${name} ${JSON.stringify(body)}`);
    const { code } = (await answer.json()) as { code?: string };
    return code ?? 'done';
  }

  /** Ends the access of a person while a request of the person is read, or waits for its write. */
  async function end(name: string): Promise<void> {
    const how = random.pick(endings);
    // Most of these changes are written before the request of the person, which has been admitted by then.
    for (let steps = random.int(0, random.pick([0, 15, 15, 100])); steps > 0; steps--) await undefined;
    count(`staff access ends: ${how}`);
    if (how === 'sign-out') await access.ask(name, '/sign-out', {});
    else await change(name, how, how === 'role' ? { role: 'auditor' } : {});
  }

  /** An admin gives the access back, and the person uses a new first code. */
  async function comeBack(name: StaffName): Promise<void> {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      await scheduler.sleep(random.int(1, 20) * minute);
      await change(name, 'enable');
      await change(name, 'role', { role: staffRoles[name] });
      const code = await change(name, 'reset');
      if (code !== undefined && (await access.useFirstCode(name, code))) break;
    }
    ended.delete(name);
  }

  return {
    /** Called when a person sends a request: a proposal, or another one that decides about it. */
    async interrupt(name: string, isProposal: boolean): Promise<void> {
      if (
        !scene.has('access_ends') ||
        !isStaffName(name) ||
        ended.has(name) ||
        !random.happens(isProposal ? 0.15 : 0.7)
      )
        return;
      ended.add(name);
      await end(name);
      if (random.happens(0.9)) await comeBack(name);
    },
  };
}
