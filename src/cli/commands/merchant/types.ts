import type { Output } from '../../terminal/protected-output.ts';
import type { ConnectStaff } from '../ledger/types.ts';

export type MerchantDeps = { stdout: Output; noColor: boolean; staffClient: ConnectStaff };
