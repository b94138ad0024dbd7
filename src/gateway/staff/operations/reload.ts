import type { ReloadAnswer } from '../../../contract/staff/staff.ts';
import { UserError } from '../../../shared/errors.ts';
import { version } from '../../../shared/version.ts';
import { staffActionWrite } from '../../access/action-store.ts';
import { defineOperation, refuse, type StaffAnswer, type StaffDeps } from '../operation.ts';

/** Reads the configuration again and applies it. A reload that applies nothing is recorded too. */
export const reload = defineOperation({
  route: 'POST /reload',
  permission: 'configuration.reload',
  async run(
    { collections, clock, livemode, reload: apply }: StaffDeps,
    { actor },
  ): Promise<StaffAnswer<ReloadAnswer>> {
    const at = clock.now();
    const subject = { kind: 'configuration', id: version, merchantId: null, livemode } as const;
    const action = { actor, action: 'reload', subject } as const;
    let changes: string[];
    try {
      changes = apply();
    } catch (fault) {
      if (!(fault instanceof UserError)) throw fault;
      await collections.apply([staffActionWrite({ ...action, result: 'refused', detail: {} }, at)]);
      return refuse('conflict', fault.message);
    }
    await collections.apply([staffActionWrite({ ...action, detail: { changes } }, at)]);
    return { ok: true, value: { changes } };
  },
});
