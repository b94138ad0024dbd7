/*
 * The names with which the service explains that a call was rejected or a session ended. They stand apart from the schemas, so that a
 * command that only lists them starts without zod.
 */

/** The codes that the interface documents, with their HTTP status. */
export const documentedErrors = {
  offline_mode_not_enabled: 403,
  offline_scope_required: 403,
  invalid_msisdn: 400,
} as const;

/** How a prompt fails, as the mobile-money network reports it. `limit_exceeded`: a limit of the wallet, or of its day. */
export const promptFailures = [
  'declined',
  'cancelled',
  'pin_limit',
  'insufficient_funds',
  'limit_exceeded',
  'wallet_not_registered',
  'network_down',
] as const;
export type PromptFailure = (typeof promptFailures)[number];

/** Why a session failed or expired. */
export const sessionEndReasons = [
  ...promptFailures,
  'rail_refused',
  'not_prompted',
  'prompt_expired',
  'no_result',
  'never_initiated',
  'amount_mismatch',
] as const;
export type SessionEndReason = (typeof sessionEndReasons)[number];
