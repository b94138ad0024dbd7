import type { DatabaseLocation } from '../../../gateway/database/database-location.ts';
import type { UnplacedState } from '../../../gateway/unplaced/unplaced.ts';
import type { PageOptions } from '../../command-options.ts';
import type { Output } from '../../terminal/protected-output.ts';
import type { ConnectStaff, DatabaseOptions, StaffFlags } from '../ledger/types.ts';

export type UnplacedDeps = {
  stdout: Output;
  noColor: boolean;
  /** Returns the database file that the options name, or else the one of the configuration. */
  database(options: DatabaseOptions): DatabaseLocation;
  /** Returns the current time, from which proposals expire. */
  now(): number;
  staffClient: ConnectStaff;
};

export type UnplacedOptions = DatabaseOptions & { json?: boolean };
export type EventsOptions = UnplacedOptions & PageOptions & { full?: boolean };
export type ListUnplacedOptions = UnplacedOptions &
  PageOptions & { state: UnplacedState | 'all'; merchant?: string };

/** The terms of a decision, and the gateway that records the proposal. */
export type DecideOptions = StaffFlags & {
  evidence: string;
  reference?: string;
  version?: number;
};
