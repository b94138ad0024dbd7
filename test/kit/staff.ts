import type { Config } from '../../src/gateway/config/schema.ts';
import type { Till } from './till.ts';

/** Support staff of test gateways. */
export const staffSecrets = {
  ama: 'kT3vQ8mZ1xW7pL5nR2dY9c',
  kofi: 'hB6jF4sG0uN8eM2aX7qV3t',
} as const;
export type StaffName = keyof typeof staffSecrets;

/** Adds the staff to a configuration. */
export function withStaff(config: Config): void {
  config.staff = Object.entries(staffSecrets).map(([name, secret]) => ({ name, secret }));
}

export function basic(name: string, secret: string): string {
  return `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`;
}

export type StaffAnswer = { status: number; body: Record<string, unknown> };

/** Calls an operation of support staff as a person. A body makes the call a POST. */
export async function callStaff(
  till: Till,
  name: StaffName,
  path: string,
  body?: unknown,
): Promise<StaffAnswer> {
  const answer = await till.gateway().app.request(`/staff/v1${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: basic(name, staffSecrets[name]), 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

export type RecordedAction = {
  actor: string;
  action: string;
  result: string;
  subject: string;
  detail: unknown;
};

/** Returns every recorded action of support staff, oldest first. */
export async function staffActions(till: Till): Promise<RecordedAction[]> {
  const rows = await till.ledger.rows<Omit<RecordedAction, 'detail'> & { detail: string }>(
    'SELECT actor, action, result, subject_id AS subject, detail FROM staff_action ORDER BY seq',
  );
  return rows.map((row) => ({ ...row, detail: JSON.parse(row.detail) }));
}
