import type { AccountRole } from '../../src/contract/staff/account.ts';
import { hour, minute, type Scene } from './scene.ts';
import type { StaffAccess } from './staff-access.ts';

export type NewDecidersDeps = { scene: Scene; access: StaffAccess };

/** The role with which an account is added. An agent is promoted later. */
const added = { esi: 'lead', yaw: 'finance', abena: 'agent' } as const satisfies Record<string, AccountRole>;
type NewName = keyof typeof added;
const newNames = Object.keys(added) as NewName[];

/**
 * Simulates people who become able to decide about money: an admin adds an account or promotes an agent, and the person uses the first
 * code. They approve at once what others propose, accept themselves and each other, and some are reset again.
 */
export function createNewDeciders({ scene, access }: NewDecidersDeps) {
  const { scheduler, plan, count, history, has } = scene;
  const random = scene.random.fork('new_deciders');
  /** People who have signed in. */
  const present: NewName[] = [];

  async function change(path: string, body: object = {}): Promise<string | undefined> {
    const answer = await access.ask('adwoa', `/accounts${path}`, body);
    if (answer?.status !== 200) return undefined;
    history.record('staff', `adwoa does /accounts${path} ${JSON.stringify(body)}`);
    const { code } = (await answer.json()) as { code?: string };
    return code ?? 'done';
  }

  /** A person accepts another one, or tries it without the right. */
  async function accept(name: NewName): Promise<void> {
    const by = random.happens(0.6) ? random.pick(['ama', 'kofi'] as const) : random.pick(newNames);
    await access.confirm(by);
    const answer = await access.ask(by, `/accounts/${name}/accept`, {});
    if (answer?.status !== 200) return;
    count('staff accept a new person');
    history.record('staff', `${by} accepts ${name}`);
  }

  async function join(name: NewName): Promise<void> {
    let code = await change('', { name, role: added[name] });
    for (let rounds = random.int(1, 3); rounds > 0; rounds--) {
      if (code === undefined || !(await access.useFirstCode(name, code))) return;
      if (!present.includes(name)) present.push(name);
      if (added[name] === 'agent') await change(`/${name}/role`, { role: 'lead' });
      for (let times = random.int(0, 3); times > 0; times--) {
        await scheduler.sleep(random.int(1, 60) * minute);
        await accept(name);
      }
      await scheduler.sleep(random.int(10, 90) * minute);
      code = await change(`/${name}/reset`);
    }
  }

  return {
    begin(): void {
      if (!has('new_deciders')) return;
      for (const name of newNames)
        scheduler.after(random.int(0, (plan.hours * hour) / 2), () => void join(name));
    },
    /** Returns who acts in the place of a person: sometimes one who is new. */
    standIn<Name extends string>(name: Name): Name | NewName {
      return present.length > 0 && random.happens(0.6) ? random.pick(present) : name;
    },
  };
}
