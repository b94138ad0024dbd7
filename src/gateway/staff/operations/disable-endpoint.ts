import type { EndpointView } from '../../../contract/endpoint.ts';
import { type Endpoint, endpointWrites } from '../../notify/endpoint-store.ts';
import { refuse, type StaffAnswer, type StaffCall, type StaffDeps } from '../operation.ts';
import { actionWrite, findEndpoint, viewEndpoint } from './endpoints.ts';

/** Disables an endpoint until a person enables it again. Its notifications that wait are cancelled; a replay sends them. */
export async function disableEndpoint(
  deps: StaffDeps,
  { actor, id }: StaffCall<unknown>,
): Promise<StaffAnswer<EndpointView>> {
  const found = await findEndpoint(deps, id);
  if (!found.ok) return found;
  const { notify, endpoint } = found.value;
  const now = deps.clock.now();
  const reason = 'person';
  const disabled = await notify.endpoints.apply([
    endpointWrites.disable({ id, now, reason }),
    actionWrite(deps, { actor, action: 'disable_endpoint', endpoint }),
  ]);
  if (!disabled) return refuse('conflict', 'the endpoint is disabled already');
  notify.queue.expect();
  const row: Endpoint = { ...endpoint, disabledAt: now, disabledReason: reason };
  return { ok: true, value: viewEndpoint(row, now) };
}
