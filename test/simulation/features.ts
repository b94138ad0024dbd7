import type { Chance } from './chance.ts';

/*
 * What may go wrong, or be otherwise than one would like. Each seed turns a random part of it on, so that faults meet in
 * ever new company; a failing history is shrunk by turning them off again.
 */
export const features = [
  // Between the gateway and the service.
  'requests_lost',
  'answers_lost',
  'slow_network',
  'slow_answers',
  'doubled_requests',
  'bad_answers',
  'throttled',
  'outages',
  // What the interface leaves open, and a service may do.
  'conflicts',
  'keys_forgotten',
  'keys_ignored',
  'replayed_500',
  'pushes_again',
  'creates_refused',
  'payers_limited',
  'initiates_refused',
  'wrong_quotes',
  'fees_change',
  'lagging_status',
  'odd_statuses',
  'asks_for_patience',
  'late_money',
  'prompts_late',
  'second_charges',
  // News by webhook.
  'events_lost',
  'events_once',
  'events_doubled',
  'events_late',
  'events_contradict',
  'wrong_amounts',
  'foreign_events',
  'events_replayed',
  'ids_reused',
  // Between the aggregator and the gateway.
  'repeats',
  'parallel_keys',
  'lost_screens',
  'slow_screens',
  'rushes',
  'numbers_as_sessions',
  // The machine.
  'crashes',
  'power_cuts',
  'pauses',
  'disk_full',
  'disk_fails',
  'foreign_locks',
  'clock_jumps',
  'clock_skew',
  'restarts',
  // Parties that are blocked together and freed in another order.
  'clogs',
  // No webhook at all, ever: polls must find out everything.
  'events_never',
] as const;

export type Feature = (typeof features)[number];

/**
 * What no gateway can stand together. A service that pushes again whenever it is asked to is only safe where no request is
 * doubled or overtaken on its way, for then nobody can tell a copy from an order. And what only an event can tell is not
 * known where there are none: another amount, money after the end, and money taken twice.
 */
const impossibleTogether: readonly (readonly [Feature, Feature])[] = [
  ['pushes_again', 'doubled_requests'],
  ['pushes_again', 'slow_network'],
  ['pushes_again', 'clogs'],
  ['events_never', 'wrong_amounts'],
  ['events_never', 'late_money'],
  ['events_never', 'second_charges'],
];

/** A subset: mostly a few, sometimes many. Of two that cannot be together either one stays. */
export function pickFeatures(chance: Chance): Feature[] {
  const share = chance.pick([0.08, 0.15, 0.3, 0.5]);
  // The harshest service is met often: most others forgive a second initiate.
  const picked = new Set(features.filter((one) => chance.happens(one === 'pushes_again' ? 0.5 : share)));
  for (const [one, other] of impossibleTogether) {
    const goes = chance.happens(0.5) ? one : other;
    if (picked.has(one) && picked.has(other)) picked.delete(goes);
  }
  return [...picked];
}
