import type { EpochMs } from '../../shared/clock.ts';
import type { Event, EventStore } from '../event/event-store.ts';
import type { Livemode } from '../schema.ts';
import type { Endpoint, EndpointKey, EndpointStore } from './endpoint-store.ts';

/** Deliveries in flight to an endpoint that is failing. */
const maxInFlightFailing = 1;

/** An event to be sent, and the endpoint of its platform and mode, if there is one. */
export type DueDelivery = { event: Event; endpoint: Endpoint | undefined };

type EndpointQueue = { endpoint: Endpoint | undefined; events: Event[]; maxInFlight: number };

type Candidate = { key: EndpointKey; inFlight: number; queue: EndpointQueue | undefined };

/** Returns whether a new event of an endpoint gets a slot, by the rules of `selectDeliveries`. */
export function hasFreeSlot(
  config: { maxInFlight: number; maxInFlightPerEndpoint: number },
  inFlight: ReadonlyMap<string, EndpointKey>,
  { platformId, livemode }: EndpointKey,
): boolean {
  let busy = 0;
  let own = 0;
  for (const key of inFlight.values()) {
    if (key.livemode !== livemode) continue;
    busy++;
    if (key.platformId === platformId) own++;
  }
  return own < Math.min(config.maxInFlightPerEndpoint, config.maxInFlight - busy);
}

/**
 * Selects the due events of one mode for the free delivery slots. A slot goes to the endpoint with the fewest deliveries
 * in flight, and among equals to the longest overdue one. No endpoint gets more deliveries than slots stay free, so an
 * endpoint that becomes due later finds some.
 */
export function selectDeliveries(deps: {
  events: EventStore;
  endpoints: EndpointStore;
  config: { maxInFlight: number; maxInFlightPerEndpoint: number };
}) {
  const { events, endpoints, config } = deps;

  async function readQueue(
    key: EndpointKey,
    inFlight: ReadonlyMap<string, EndpointKey>,
    now: EpochMs,
  ): Promise<EndpointQueue> {
    const endpoint = await endpoints.find(key);
    const due = await events.due(key, now, config.maxInFlightPerEndpoint);
    const isFailing = endpoint?.disabledAt === null && endpoint.failingSince !== null;
    return {
      endpoint,
      // An event that is resent while in flight is due again, but only after that attempt has ended.
      events: due.filter(({ id }) => !inFlight.has(id)),
      maxInFlight: isFailing ? maxInFlightFailing : config.maxInFlightPerEndpoint,
    };
  }

  /** `due` is in the order of the endpoints' due times. `inFlight` has the endpoint of each event in flight. */
  return async (
    due: readonly EndpointKey[],
    inFlight: ReadonlyMap<string, EndpointKey>,
    { livemode, now }: { livemode: Livemode; now: EpochMs },
  ): Promise<DueDelivery[]> => {
    const busy = [...inFlight.values()].filter((key) => key.livemode === livemode);
    const candidates = due
      .filter((key) => key.livemode === livemode)
      .map(
        (key): Candidate => ({
          key,
          inFlight: busy.filter(({ platformId }) => platformId === key.platformId).length,
          queue: undefined,
        }),
      );
    const selected: DueDelivery[] = [];
    const free = () => config.maxInFlight - busy.length - selected.length;
    for (let level = 0; level < Math.min(config.maxInFlightPerEndpoint, free()); level++) {
      for (const candidate of candidates) {
        if (candidate.inFlight !== level || level >= free()) continue;
        candidate.queue ??= await readQueue(candidate.key, inFlight, now);
        const event = level < candidate.queue.maxInFlight ? candidate.queue.events.shift() : undefined;
        if (!event) continue;
        selected.push({ event, endpoint: candidate.queue.endpoint });
        candidate.inFlight++;
      }
    }
    return selected;
  };
}
