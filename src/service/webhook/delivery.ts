import type { Settings } from '../config.ts';
import type { ServiceContext } from '../context.ts';
import { createLoop } from '../loop.ts';
import { createDeliverer } from './deliver.ts';
import { createPooledFetch, createPublicFetch } from './delivery-fetch.ts';
import { sendEvent } from './send.ts';

/** Creates the loop that delivers events. `drain` resolves when no delivery is in flight. */
export function createDelivery({ webhook: config }: Settings, context: ServiceContext) {
  const send = sendEvent({
    ...context,
    config,
    fetch: context.fetch ?? createPooledFetch(context.wallClock),
    fetchPublic: context.fetchPublic ?? createPublicFetch(),
  });
  const deliverer = createDeliverer({ ...context, config, send, wake: (at) => loop.wakeBy(at) });
  const loop = createLoop({ ...context, name: 'deliveries', round: deliverer.round });
  return { loop, drain: deliverer.drain, claimNew: deliverer.claimNew };
}
