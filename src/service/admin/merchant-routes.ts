import { z } from '@hono/zod-openapi';
import { apiError, isApiError } from '../api-error.ts';
import { answer } from '../http/answer.ts';
import type { Endpoints } from '../http/endpoint.ts';
import { operation } from '../http/operation.ts';
import type { Merchant } from '../merchant/merchant-store.ts';
import type { BackOffice } from './operations.ts';
import { listLimit, merchantParam, nameField } from './params.ts';
import { merchantShape, merchantView } from './schemas.ts';

const tag = 'Merchants';

const list = operation({
  method: 'get',
  path: '/backoffice/merchants',
  id: 'listMerchants',
  tag,
  summary: 'List merchants in the order of their ids',
  access: 'admin',
  query: z.strictObject({
    after: z.string().max(128).optional().meta({ description: 'The last id of the list before.' }),
  }),
  success: {
    status: 200,
    description: 'At most 100.',
    schema: z.strictObject({ merchants: z.array(merchantShape) }).meta({ id: 'Merchants' }),
  },
});

const create = operation({
  method: 'post',
  path: '/backoffice/merchants',
  id: 'createMerchant',
  tag,
  summary: 'Create a merchant',
  access: 'admin',
  body: z.strictObject({ name: nameField }).meta({ id: 'NewMerchant' }),
  examples: { merchant: { name: 'Abena Stores' } },
  idempotency: 'honoured',
  success: { status: 201, description: 'With a first platform, not yet approved.', schema: merchantShape },
});

const get = operation({
  method: 'get',
  path: '/backoffice/merchants/{id}',
  id: 'getMerchant',
  tag,
  summary: 'Look a merchant up',
  access: 'admin',
  params: merchantParam,
  success: { status: 200, description: 'The merchant.', schema: merchantShape },
  errors: ['merchant_not_found'],
});

const approve = operation({
  method: 'post',
  path: '/backoffice/merchants/{id}/approve-offline',
  id: 'approveOffline',
  tag,
  summary: 'Approve a merchant for offline collections',
  description: 'For test and live sessions alike. Done twice, the first time stays.',
  access: 'admin',
  params: merchantParam,
  idempotency: 'honoured',
  success: { status: 200, description: 'The merchant.', schema: merchantShape },
  errors: ['merchant_not_found'],
});

const withdraw = operation({
  method: 'post',
  path: '/backoffice/merchants/{id}/withdraw-offline',
  id: 'withdrawOffline',
  tag,
  summary: 'Take the approval for offline collections back',
  description: 'New offline sessions are refused from now on; those that exist go on to their end.',
  access: 'admin',
  params: merchantParam,
  idempotency: 'honoured',
  success: { status: 200, description: 'The merchant.', schema: merchantShape },
  errors: ['merchant_not_found'],
});

export function merchantRoutes(serve: Endpoints, verbs: BackOffice): void {
  const shown = (status: number, merchant: Merchant) => answer(status, merchantView(merchant));

  serve.admin(list, async ({ query: { after } }) => {
    const merchants = await verbs.listMerchants({ limit: listLimit, after });
    return answer(200, { merchants: merchants.map(merchantView) });
  });
  serve.admin(create, async ({ body, extraWrites }) =>
    shown(201, await verbs.createMerchant(body, (made) => extraWrites(shown(201, made)))),
  );
  serve.admin(get, async ({ params: { id } }) => {
    const merchant = await verbs.findMerchant(id);
    return merchant ? shown(200, merchant) : apiError('merchant_not_found');
  });
  serve.admin(approve, async ({ params: { id }, extraWrites }) => {
    const merchant = await verbs.approveOffline(id, (approved) => extraWrites(shown(200, approved)));
    return isApiError(merchant) ? merchant : shown(200, merchant);
  });
  serve.admin(withdraw, async ({ params: { id }, extraWrites }) => {
    const merchant = await verbs.withdrawOffline(id, (withdrawn) => extraWrites(shown(200, withdrawn)));
    return isApiError(merchant) ? merchant : shown(200, merchant);
  });
}
