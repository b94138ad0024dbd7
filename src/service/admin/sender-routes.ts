import { z } from 'zod';
import {
  removedSender,
  type Sender as SenderView,
  sender,
  senderPage,
} from '../../contract/service/admin.ts';
import { pageQuery } from '../../contract/service/field.ts';
import { apiError, isApiError } from '../api-error.ts';
import { operation } from '../http/operation.ts';
import { defaultPageSize, toPageBy } from '../http/page.ts';
import { jsonResponse } from '../http/response.ts';
import type { Router } from '../http/router.ts';
import { isoTime } from '../http/time.ts';
import type { Sender } from '../merchant/merchant-store.ts';
import type { AdminOperations } from './operations.ts';
import { merchantParam } from './params.ts';

const tag = 'Senders';
const params = merchantParam.extend({
  name: z.string().meta({
    description: '3 to 11 letters, digits and inner spaces, at least one letter.',
    example: 'ABENA',
  }),
});

const list = operation({
  method: 'get',
  path: '/backoffice/merchants/{id}/senders',
  id: 'listSenders',
  tag,
  summary: "List a merchant's approved sender names for SMS",
  description: 'Returns the names in alphabetical order, page by page.',
  access: 'admin',
  params: merchantParam,
  query: z.strictObject(pageQuery),
  success: { status: 200, description: 'A page of senders, by name.', schema: senderPage },
  errors: ['merchant_not_found'],
});

const approve = operation({
  method: 'put',
  path: '/backoffice/merchants/{id}/senders/{name}',
  id: 'approveSender',
  tag,
  summary: 'Approve a sender name for SMS',
  description: 'A second approval keeps the time of the first.',
  access: 'admin',
  params,
  success: { status: 200, description: 'The sender.', schema: sender },
  errors: ['merchant_not_found', 'invalid_sender'],
});

const remove = operation({
  method: 'delete',
  path: '/backoffice/merchants/{id}/senders/{name}',
  id: 'removeSender',
  tag,
  summary: 'Remove a sender name',
  description: 'Applies to SMS that are requested from now on. Removing an unknown name is not an error.',
  access: 'admin',
  params,
  success: { status: 200, description: 'The name is not approved.', schema: removedSender },
  errors: ['merchant_not_found'],
});

export function senderRoutes(router: Router, operations: AdminOperations): void {
  router.admin(list, async ({ params: { id }, query: { limit = defaultPageSize, cursor } }) => {
    if (!(await operations.findMerchant(id))) return apiError('merchant_not_found');
    const senders = await operations.listSenders(id, limit + 1, cursor);
    return jsonResponse(
      200,
      toPageBy(senders, limit, senderView, ({ name }) => name),
    );
  });
  router.admin(approve, async ({ params: { id, name }, extraWrites }) => {
    const response = (approved: Sender) => jsonResponse(200, senderView(approved));
    const approved = await operations.approveSender(id, name, (row) => extraWrites(response(row)));
    return isApiError(approved) ? approved : response(approved);
  });
  router.admin(remove, async ({ params: { id, name }, extraWrites }) => {
    const response = jsonResponse(200, { name, removed: true });
    const outcome = await operations.removeSender(id, name, () => extraWrites(response));
    return isApiError(outcome) ? outcome : response;
  });
}

function senderView({ name, approvedAt }: Sender): SenderView {
  return { name, approved_at: isoTime(approvedAt) };
}
