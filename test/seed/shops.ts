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

/** Support staff. Each has a file with the own name and secret. */
export const staffNames = ['ama', 'kofi', 'esi'] as const;
export type StaffName = (typeof staffNames)[number];
