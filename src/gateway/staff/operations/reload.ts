import type { ReloadAnswer } from '../../../contract/staff/staff.ts';
import { UserError } from '../../../shared/errors.ts';
import { version } from '../../../shared/version.ts';
import { type StaffAction, staffActionWrite } from '../../access/action-store.ts';
import { defineOperation, refuse, type StaffAnswer, type StaffDeps } from '../operation.ts';

/** The first errors of a file: no error quotes a value. */
const maxReasonLength = 300;

/**
 * Reads the configuration again and applies it. Its action is recorded before, so that none is applied without a record. A reload that
 * applies nothing is recorded with the reason.
 */
export const reload = defineOperation({
  route: 'POST /reload',
  permission: 'configuration.reload',
  async run(
    { collections, clock, livemode, prepareReload }: StaffDeps,
    { actor },
  ): Promise<StaffAnswer<ReloadAnswer>> {
    const at = clock.now();
    const subject = { kind: 'configuration', id: version, merchantId: null, livemode } as const;
    const record = (rest: Pick<StaffAction, 'result' | 'detail'>) =>
      collections.apply([staffActionWrite({ actor, action: 'reload', subject, ...rest }, at)]);
    try {
      const { changes, apply } = prepareReload();
      if (!(await record({ detail: { changes } })))
        return refuse(
          'conflict',
          'other actions were recorded at the same moment: nothing was reloaded, try again',
        );
      apply();
      return { ok: true, value: { changes } };
    } catch (fault) {
      if (!(fault instanceof UserError)) throw fault;
      await record({ result: 'refused', detail: { reason: fault.message.slice(0, maxReasonLength) } });
      return refuse('conflict', fault.message);
    }
  },
});
