import type { Clock } from '../../../shared/clock.ts';
import type { StaffDeps } from '../../staff/operation.ts';
import type { ConsoleReader } from '../reader.ts';

/** What the pages about work use. */
export type WorkDeps = {
  operations: StaffDeps;
  reader: Pick<ConsoleReader, 'actions'>;
  clock: Pick<Clock, 'now'>;
};
