import { z } from '@hono/zod-openapi';
import { apiError, isApiError } from '../api-error.ts';
import { answer } from '../http/answer.ts';
import type { Endpoints } from '../http/endpoint.ts';
import { operation } from '../http/operation.ts';
import { isoTime } from '../http/time.ts';
import type { Sender } from '../merchant/merchant-store.ts';
import { time } from '../session/schemas.ts';
import type { BackOffice } from './operations.ts';
import { listLimit, merchantParam } from './params.ts';

const tag = 'Senders';
const params = merchantParam.extend({
  name: z.string().meta({
    description: '3 to 11 letters, digits and inner blanks, with one letter at least.',
    example: 'ABENA',
  }),
});

const senderShape = z.strictObject({ name: z.string(), approved_at: time }).meta({ id: 'Sender' });

const list = operation({
  method: 'get',
  path: '/backoffice/merchants/{id}/senders',
  id: 'listSenders',
  tag,
  summary: 'List the names under which a merchant may send SMS',
  access: 'admin',
  params: merchantParam,
  success: {
    status: 200,
    description: 'At most 100, by name.',
    schema: z.strictObject({ senders: z.array(senderShape) }).meta({ id: 'Senders' }),
  },
  errors: ['merchant_not_found'],
});

const approve = operation({
  method: 'put',
  path: '/backoffice/merchants/{id}/senders/{name}',
  id: 'approveSender',
  tag,
  summary: 'Let a merchant send SMS under a name',
  description: 'Done twice, the first time stays.',
  access: 'admin',
  params,
  success: { status: 200, description: 'The sender.', schema: senderShape },
  errors: ['merchant_not_found', 'invalid_sender'],
});

const remove = operation({
  method: 'delete',
  path: '/backoffice/merchants/{id}/senders/{name}',
  id: 'removeSender',
  tag,
  summary: 'Take a name back',
  description:
    'It counts for SMS that are asked for from now on. A name that was never approved is no fault.',
  access: 'admin',
  params,
  success: {
    status: 200,
    description: 'The merchant does not have it.',
    schema: z.strictObject({ name: z.string(), removed: z.literal(true) }).meta({ id: 'RemovedSender' }),
  },
  errors: ['merchant_not_found'],
});

export function senderRoutes(serve: Endpoints, verbs: BackOffice): void {
  const view = ({ name, approvedAt }: Sender) => ({ name, approved_at: isoTime(approvedAt) });

  serve.admin(list, async ({ params: { id } }) => {
    if (!(await verbs.findMerchant(id))) return apiError('merchant_not_found');
    return answer(200, { senders: (await verbs.listSenders(id, listLimit)).map(view) });
  });
  serve.admin(approve, async ({ params: { id, name }, extraWrites }) => {
    const sender = await verbs.approveSender(id, name, (one) => extraWrites(answer(200, view(one))));
    return isApiError(sender) ? sender : answer(200, view(sender));
  });
  serve.admin(remove, async ({ params: { id, name }, extraWrites }) => {
    const done = answer(200, { name, removed: true });
    const outcome = await verbs.removeSender(id, name, () => extraWrites(done));
    return isApiError(outcome) ? outcome : done;
  });
}
