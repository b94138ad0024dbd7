import { demoChannelOf } from '../kit/dialects.ts';

/** A merchant of the seeded ledger, with its channels. */
export type Shop = { id: string; name: string; channels: readonly string[] };

/** The merchants. A channel is named after its aggregator. */
export const shops = [
  { id: 'abena-stores', name: 'Abena Stores', channels: ['africastalking', 'nalo'] },
  { id: 'kofi-pharmacy', name: 'Kofi Pharmacy', channels: ['hubtel'] },
  { id: 'volta-lodge', name: 'Volta Lodge', channels: ['arkesel'] },
] as const satisfies readonly Shop[];

export function channelOf(name: string) {
  return demoChannelOf(name);
}

/** Support staff, each with an account. */
export const staffRoles = { ama: 'lead', kofi: 'finance', esi: 'agent' } as const;
export type StaffName = keyof typeof staffRoles;
export const staffNames = Object.keys(staffRoles) as StaffName[];

/** The password of each of them. The codes of their apps are different in each folder. */
export const staffPassword = 'practise support';
