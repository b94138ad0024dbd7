/*
 * The Payment Collection Service as a library: `import { createService } from 'dialtill/service'`.
 *
 * Create it on a database file, mount its app in a server with `listen`, and start its loops. As a test peer it runs on a
 * clock that tests advance.
 */
export {
  type AdvanceableClock,
  advanceableClock,
  type Clock,
  type EpochMs,
  systemClock,
} from '../shared/clock.ts';
export { UserError } from '../shared/errors.ts';
export { type Listening, listen } from '../shared/http/server.ts';
export { type Ids, systemIds } from '../shared/ids.ts';
export { createLog, type Log, type LogOptions } from '../shared/log.ts';
export { createService, type Service, type ServiceConfig, type ServiceOverrides } from './create.ts';
export type { Sms, SmsSender } from './otp/sms.ts';
export type {
  PushRequest,
  PushResult,
  Rail,
  RailInquiry,
  RailModule,
  RailResult,
  ReportRailResult,
} from './rail/rail.ts';
