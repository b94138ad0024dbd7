import type { Chance } from '../chance.ts';
import type { Feature } from '../features.ts';

/** What befalls the project's own service: what networks, machines, aggregators and rails do, and no whim of a service. */
export const peerFeatures = [
  'requests_lost',
  'answers_lost',
  'slow_network',
  'slow_answers',
  'doubled_requests',
  'bad_answers',
  'throttled',
  'outages',
  'events_lost',
  'events_doubled',
  'events_late',
  // Of the rail: it refuses pushes, lights them up late, and takes money that does not fit.
  'initiates_refused',
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
  'clogs',
] as const satisfies readonly Feature[];

/** A subset: sometimes a few, mostly many, for there are fewer to choose from. */
export function pickPeerFeatures(chance: Chance): Feature[] {
  const share = chance.pick([0.15, 0.3, 0.5, 0.7]);
  return peerFeatures.filter(() => chance.happens(share));
}
