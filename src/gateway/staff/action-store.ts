import type { EpochMs } from '../../shared/clock.ts';
import { build, prepareWrite, rowParameters } from '../../sqlite/statement.ts';
import type { Write } from '../../sqlite/store.ts';
import type { ActionRow } from '../ledger/chain.ts';
import { staffAction } from '../schema.ts';

/** Who did what, to what. */
export type StaffAction = {
  actor: string;
  /** The operation, such as `note`. */
  action: string;
  /** `refused` when the operation changed nothing. */
  result?: 'refused';
  /** The id of a phone is its number, that of the configuration its version, and that of a day its date. */
  subject: {
    kind: 'collection' | 'phone' | 'unplaced' | 'endpoint' | 'key' | 'account' | 'configuration' | 'day';
    id: string;
    merchantId: string | null;
    livemode: number;
  };
  detail: Readonly<Record<string, unknown>>;
};

const insertAction = prepareWrite<Omit<ActionRow, 'seq'>>(
  build.insert(staffAction).values(rowParameters(staffAction, 'seq')),
  1,
);

/** Returns the write that records an action. It belongs to the batch of the action itself. */
export function staffActionWrite(
  { actor, action, result, subject, detail }: StaffAction,
  at: EpochMs,
): Write {
  const { kind: subjectKind, id: subjectId, merchantId, livemode } = subject;
  return insertAction({
    ...{ at, actor, action, result: result ?? 'done' },
    ...{ subjectKind, subjectId, merchantId, livemode, detail: JSON.stringify(detail) },
  });
}
