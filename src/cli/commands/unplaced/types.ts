import type { DatabaseLocation } from '../../../gateway/config/database-location.ts';
import type { UnplacedState } from '../../../gateway/unplaced/unplaced.ts';
import type { StaffOptions } from '../../staff/find-gateway.ts';
import type { StaffClient } from '../../staff/staff-client.ts';
import type { Output } from '../../terminal/protected-output.ts';
import type { PageOptions } from '../ledger/page-options.ts';
import type { DatabaseOptions } from '../ledger/types.ts';

export type UnplacedDeps = {
  stdout: Output;
  noColor: boolean;
  /** Returns the database file that the options name, or else the one of the configuration. */
  database(options: DatabaseOptions): DatabaseLocation;
  /** Returns the current time, from which proposals expire. */
  now(): number;
  /** Returns the client of the gateway's staff API for the person of the environment. @throws UserError without one. */
  staffClient(options: StaffOptions): Promise<StaffClient>;
};

export type UnplacedOptions = DatabaseOptions & { json?: boolean };
export type EventsOptions = UnplacedOptions & PageOptions & { full?: boolean };
export type ListUnplacedOptions = UnplacedOptions &
  PageOptions & { state: UnplacedState | 'all'; merchant?: string };

/** The gateway that records who resolves a payment. */
export type AssignOptions = StaffOptions & { json?: boolean };

/** The terms of a decision, and the gateway that records the proposal. */
export type DecideOptions = StaffOptions & {
  json?: boolean;
  evidence: string;
  reference?: string;
  version?: number;
};
