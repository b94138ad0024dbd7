import type { ReviewRow, ReviewView } from '../../../contract/staff/review.ts';
import type { Output } from '../../terminal/protected-output.ts';
import type { Input } from '../../terminal/terminal.ts';
import type { ConnectStaff, StaffFlags } from '../ledger/types.ts';

export type DecisionDeps = {
  stdin: Input;
  stdout: Output;
  noColor: boolean;
  staffClient: ConnectStaff;
};

export type ReviewListOptions = StaffFlags & { limit?: number; after?: string };
export type ProposeOptions = StaffFlags & {
  outcome: ReviewView['decisions'][number]['outcome'];
  evidence: string;
  reference?: string;
  version?: ReviewRow['version'];
};
export type ApproveOptions = StaffFlags & { yes?: boolean };
