import type { Person } from '../../accounts/session.ts';
import type { StaffDeps } from '../../staff/operation.ts';
import type { ConsoleCall, PageContent } from '../define-route.ts';
import { statusOf } from '../work/operate.ts';
import { endpointOf } from './in-scope.ts';
import { noEndpoint, Refused } from './parts.tsx';

type Call = ConsoleCall<Person>;

/** Runs a change of an endpoint that the person may see; one of another merchant is not found. */
export async function changeEndpoint(
  operations: StaffDeps,
  call: Call,
  change: (call: Call, id: string) => Promise<Response>,
): Promise<Response> {
  const id = call.c.req.param('id') ?? '';
  return (await endpointOf(operations, call.person, id)) ? change(call, id) : call.show(noEndpoint);
}

type Refusal = Parameters<typeof statusOf>[0];

/** The page that says why nothing was changed. */
export function refusedPage(id: string, refusal: Refusal): PageContent {
  const body = <Refused text={refusal.message} path={`/console/endpoints/${id}`} back="The endpoint" />;
  return { title: 'Nothing was changed', body, status: statusOf(refusal) };
}
