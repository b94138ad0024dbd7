import * as schema from '../../src/gateway/schema.ts';
import { deriveTable } from './derive-tables.ts';

/* The gateway's tables on PostgreSQL. The generator of migrations reads each from an export of its own. */
export const turn = deriveTable(schema.turn);
export const deletedTurn = deriveTable(schema.deletedTurn);
export const collection = deriveTable(schema.collection);
export const fact = deriveTable(schema.fact);
export const posting = deriveTable(schema.posting);
export const accountTotal = deriveTable(schema.accountTotal);
export const accountDayTotal = deriveTable(schema.accountDayTotal);
export const seal = deriveTable(schema.seal);
export const inbox = deriveTable(schema.inbox);
export const unplacedPayment = deriveTable(schema.unplacedPayment);
export const quote = deriveTable(schema.quote);
export const diallerSetting = deriveTable(schema.diallerSetting);
export const diallerSettingChange = deriveTable(schema.diallerSettingChange);
export const staffAction = deriveTable(schema.staffAction);
export const proposal = deriveTable(schema.proposal);
export const horizon = deriveTable(schema.horizon);
export const restore = deriveTable(schema.restore);
export const ledgerFile = deriveTable(schema.ledgerFile);
export const notificationEndpoint = deriveTable(schema.notificationEndpoint);
export const notification = deriveTable(schema.notification);
export const notificationAttempt = deriveTable(schema.notificationAttempt);
export const merchantKey = deriveTable(schema.merchantKey);
export const merchantRequest = deriveTable(schema.merchantRequest);
