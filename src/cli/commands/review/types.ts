import type { ReviewRow, ReviewView } from '../../../contract/review.ts';
import type { StaffOptions } from '../../staff/find-gateway.ts';
import type { StaffClient } from '../../staff/staff-client.ts';
import type { Output } from '../../terminal/protected-output.ts';
import type { Input } from '../../terminal/terminal.ts';

export type DecisionDeps = {
  stdin: Input;
  stdout: Output;
  noColor: boolean;
  /** Returns the client of the gateway's staff API for the person of the environment. @throws UserError without one. */
  staffClient(options: StaffOptions): Promise<StaffClient>;
};

export type DecisionOptions = StaffOptions & { json?: boolean };
export type ReviewListOptions = DecisionOptions & { limit?: number; after?: string };
export type ProposeOptions = DecisionOptions & {
  outcome: ReviewView['decisions'][number]['outcome'];
  evidence: string;
  reference?: string;
  version?: ReviewRow['version'];
};
export type ApproveOptions = DecisionOptions & { yes?: boolean };
