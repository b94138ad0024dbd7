import type { Random } from '../../kit/random.ts';
import type { Feature } from '../features.ts';

/**
 * The features for the service: faults of networks, machines, aggregators and rails, without difficult service
 * behaviour.
 */
export const peerFeatures = [
  'requests_lost',
  'answers_lost',
  'slow_network',
  'slow_answers',
  'requests_duplicated',
  'bad_answers',
  'rate_limited',
  'outages',
  'events_lost',
  'events_duplicated',
  'events_late',
  // The rail rejects pushes, shows prompts late and charges wrong amounts.
  'initiates_rejected',
  'prompts_late',
  'late_money',
  'wrong_amounts',
  'second_charges',
  'repeats',
  'parallel_keys',
  'lost_screens',
  'slow_screens',
  'rushes',
  'numbers_as_sessions',
  'crashes',
  'power_cuts',
  'pauses',
  'disk_full',
  'disk_fails',
  'foreign_locks',
  'clock_jumps',
  'clock_skew',
  'restarts',
  'blocked_parties',
] as const satisfies readonly Feature[];

/** Selects a subset, mostly a large one, because there are fewer features. */
export function pickPeerFeatures(random: Random): Feature[] {
  const share = random.pick([0.15, 0.3, 0.5, 0.7]);
  return peerFeatures.filter(() => random.happens(share));
}
