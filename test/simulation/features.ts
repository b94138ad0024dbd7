import type { Random } from '../kit/random.ts';

/*
 * Faults and difficult behaviour. Each seed enables a random subset, so that many combinations occur. A failing
 * history is shrunk by disabling features.
 */
export const features = [
  // Between the gateway and the service.
  'requests_lost',
  'answers_lost',
  'slow_network',
  'slow_answers',
  'requests_duplicated',
  'bad_answers',
  'rate_limited',
  'outages',
  // Behaviour that the interface allows a service.
  'conflicts',
  'keys_forgotten',
  'keys_ignored',
  'replayed_500',
  'repeated_pushes',
  'creates_rejected',
  'payers_limited',
  'initiates_rejected',
  'wrong_quotes',
  'fees_change',
  'lagging_status',
  'unknown_statuses',
  'retry_hints',
  'late_money',
  'prompts_late',
  'second_charges',
  // The paid event of a session states another currency.
  'other_currency',
  // Webhook events.
  'events_lost',
  'events_once',
  'events_duplicated',
  'events_late',
  'events_contradict',
  'wrong_amounts',
  'foreign_events',
  'events_replayed',
  'ids_reused',
  // Another party has the webhook secret and signs events of payments that were not made, and of failures that did not happen.
  'forged_payments',
  // Between the aggregator and the gateway.
  'repeats',
  'parallel_keys',
  'lost_screens',
  // The connection breaks before the reply with an end screen is sent, and the aggregator asks again.
  'broken_ends',
  // Payers dial again at once after the end screen.
  'impatient_payers',
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
  'blocked_parties',
  // Support staff block numbers of payers and diallers, and free some again.
  'numbers_blocked',
  // The access of support staff ends while they decide, by an admin or by themselves, and they get it again.
  'access_ends',
  // People become able to decide about money: they use a first code, and wait for another person or a day.
  'new_deciders',
  // The merchants' own systems are notified of payments, and fail in their own ways.
  'merchants_notified',
  // The service answers one merchant slowly while its payers all pay at once and its systems send too many requests.
  'merchant_floods',
  // No webhook is ever sent: polls alone must find every result.
  'events_never',
] as const;

/** Faults of several gateways and their database server. */
const serverFaults = [
  // Connections end while batches are in flight.
  'connections_lost',
  // A machine ends and the server does not notice it at once.
  'hosts_lost',
  'server_crashes',
  'slow_server',
  // Each way to the server takes long, so that the batches of all gateways overlap.
  'distant_server',
  // The database is a copy of a ledger, in which the first gateway begins a recovery.
  'copied_ledger',
  // All payers dial at the same moment, type at the same pace and confirm at the same moment.
  'crowds',
  // Another party that has the webhook secret reports results of a session while the gateway learns of it.
  'early_events',
] as const;

export type Feature = (typeof features)[number] | (typeof serverFaults)[number];

/**
 * Combinations that no gateway can handle. A service that pushes again on each initiate is safe only where no
 * request is duplicated or delayed, because a late duplicate cannot be distinguished from a new request. Without
 * events, a different amount, late money and a second charge cannot be detected.
 */
const impossibleTogether: readonly (readonly [Feature, Feature])[] = [
  ['repeated_pushes', 'requests_duplicated'],
  ['repeated_pushes', 'slow_network'],
  ['repeated_pushes', 'blocked_parties'],
  ['events_never', 'wrong_amounts'],
  ['events_never', 'late_money'],
  ['events_never', 'second_charges'],
];

/** Features with a random source of their own: the other features of a seed stay as they were before these came. */
const independent: ReadonlySet<Feature> = new Set([
  'other_currency',
  'numbers_blocked',
  'access_ends',
  'new_deciders',
  'merchants_notified',
  'merchant_floods',
  'early_events',
]);

/** The strictest kind of service, because most others tolerate a second initiate; and what shows little beside other faults. */
const ownShares: Partial<Record<Feature, number>> = { repeated_pushes: 0.5, merchant_floods: 0.25 };

/** Selects a subset: mostly a few features, sometimes many. Of two incompatible features one stays. */
export function pickFeatures(random: Random): Feature[] {
  const share = random.pick([0.08, 0.15, 0.3, 0.5]);
  const isPicked = (one: Feature) =>
    (independent.has(one) ? random.fork(one) : random).happens(ownShares[one] ?? share);
  const picked = new Set<Feature>(features.filter(isPicked));
  for (const [one, other] of impossibleTogether) {
    const removed = random.happens(0.5) ? one : other;
    if (picked.has(one) && picked.has(other)) picked.delete(removed);
  }
  // Only events state a currency.
  if (picked.has('events_never')) picked.delete('other_currency');
  return [...picked];
}

/** Faults of a disk, or of the clock of one machine. Several gateways use the clock of the server. */
const ofOneMachine: ReadonlySet<Feature> = new Set([
  ...(['power_cuts', 'disk_full', 'disk_fails', 'foreign_locks', 'clock_jumps', 'clock_skew'] as const),
]);

/** What needs more than one gateway to go wrong: repeated screens, many payers at once, limits, and two senders. */
const whatSeveralShare = [
  ...([
    'repeats',
    'broken_ends',
    'rushes',
    'slow_screens',
    'rate_limited',
    'repeated_pushes',
    'merchants_notified',
  ] as const),
];

/** Selects a subset for several gateways, in which faults of gateways and of their server are frequent. */
export function pickSeveralFeatures(random: Random): Feature[] {
  const often = ['crashes', 'pauses', 'restarts', ...serverFaults, ...whatSeveralShare] as const;
  const share = random.pick([0.2, 0.4, 0.7]);
  const others = pickFeatures(random).filter(
    (one) => !ofOneMachine.has(one) && !often.some((name) => name === one),
  );
  const isPicked = (one: Feature) => (independent.has(one) ? random.fork(one) : random).happens(share);
  const picked: Feature[] = [...others, ...often.filter(isPicked)];
  const isPossible = (one: Feature) =>
    impossibleTogether.every(([kept, removed]) => one !== removed || !picked.includes(kept));
  return picked.filter(isPossible);
}

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
