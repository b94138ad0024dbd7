import type { SmsSender } from '../otp/sms.ts';
import type { Rail, ReportRailResult } from './rail.ts';

/** What the module of `dialtill service start --live --rail` exports. */
export type RailModule = {
  /** Creates the rail of live sessions. `report` accepts results. */
  createRail(report: ReportRailResult): Rail;
  /** The SMS carrier of live mode. Without it, live one-time codes are rejected. */
  sms?: SmsSender;
};
