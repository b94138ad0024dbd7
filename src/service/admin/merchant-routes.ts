import { z } from 'zod';
import { merchant, merchantPage, platform, platformPage } from '../../contract/service/admin.ts';
import { pageQuery } from '../../contract/service/field.ts';
import { apiError, isApiError } from '../api-error.ts';
import { operation } from '../http/operation.ts';
import { defaultPageSize, toPage } from '../http/page.ts';
import { jsonResponse } from '../http/response.ts';
import type { Router } from '../http/router.ts';
import type { Merchant, Platform } from '../merchant/merchant-store.ts';
import type { AdminOperations } from './operations.ts';
import { merchantParam, nameField } from './params.ts';
import { merchantView, platformView } from './views.ts';

const tag = 'Merchants';

const list = operation({
  method: 'get',
  path: '/backoffice/merchants',
  id: 'listMerchants',
  tag,
  summary: 'List merchants, newest first',
  description: 'Returns all merchants of the service, page by page.',
  access: 'admin',
  query: z.strictObject(pageQuery),
  success: { status: 200, description: 'A page of merchants.', schema: merchantPage },
});

const create = operation({
  method: 'post',
  path: '/backoffice/merchants',
  id: 'createMerchant',
  tag,
  summary: 'Create a merchant',
  description: 'Creates the merchant with a first platform. Approve it before it collects offline.',
  access: 'admin',
  body: z.strictObject({ name: nameField }).meta({ id: 'NewMerchant' }),
  examples: { merchant: { name: 'Abena Stores' } },
  idempotency: 'honoured',
  success: {
    status: 201,
    description: 'The merchant, with a first platform and without approval for offline collections.',
    schema: merchant,
  },
});

const get = operation({
  method: 'get',
  path: '/backoffice/merchants/{id}',
  id: 'getMerchant',
  tag,
  summary: 'Get a merchant',
  description: 'Returns the merchant, and since when it is approved for offline collections.',
  access: 'admin',
  params: merchantParam,
  success: { status: 200, description: 'The merchant.', schema: merchant },
  errors: ['merchant_not_found'],
});

const approve = operation({
  method: 'post',
  path: '/backoffice/merchants/{id}/approve-offline',
  id: 'approveOffline',
  tag,
  summary: 'Approve a merchant for offline collections',
  description: 'Applies to test and live sessions. A second approval keeps the time of the first.',
  access: 'admin',
  params: merchantParam,
  idempotency: 'honoured',
  success: { status: 200, description: 'The merchant.', schema: merchant },
  errors: ['merchant_not_found'],
});

const withdraw = operation({
  method: 'post',
  path: '/backoffice/merchants/{id}/withdraw-offline',
  id: 'withdrawOffline',
  tag,
  summary: 'Withdraw the approval for offline collections',
  description: 'New offline sessions are rejected from now on. Open sessions continue.',
  access: 'admin',
  params: merchantParam,
  idempotency: 'honoured',
  success: { status: 200, description: 'The merchant.', schema: merchant },
  errors: ['merchant_not_found'],
});

export function merchantRoutes(router: Router, operations: AdminOperations): void {
  const response = (status: number, found: Merchant) => jsonResponse(status, merchantView(found));

  router.admin(list, async ({ query: { limit = defaultPageSize, cursor } }) =>
    jsonResponse(200, toPage(await operations.listMerchants(limit + 1, cursor), limit, merchantView)),
  );
  router.admin(create, async ({ body, extraWrites }) =>
    response(201, await operations.createMerchant(body, (made) => extraWrites(response(201, made)))),
  );
  router.admin(get, async ({ params: { id } }) => {
    const found = await operations.findMerchant(id);
    return found ? response(200, found) : apiError('merchant_not_found');
  });
  router.admin(approve, async ({ params: { id }, extraWrites }) => {
    const approved = await operations.approveOffline(id, (changed) => extraWrites(response(200, changed)));
    return isApiError(approved) ? approved : response(200, approved);
  });
  router.admin(withdraw, async ({ params: { id }, extraWrites }) => {
    const withdrawn = await operations.withdrawOffline(id, (changed) => extraWrites(response(200, changed)));
    return isApiError(withdrawn) ? withdrawn : response(200, withdrawn);
  });
}

const platformsPath = '/backoffice/merchants/{id}/platforms';

const listPlatforms = operation({
  method: 'get',
  path: platformsPath,
  id: 'listPlatforms',
  tag: 'Platforms',
  summary: "List a merchant's platforms, oldest first",
  description: "The first platform is the merchant's default.",
  access: 'admin',
  params: merchantParam,
  query: z.strictObject(pageQuery),
  success: { status: 200, description: 'A page of platforms.', schema: platformPage },
  errors: ['merchant_not_found'],
});

const createPlatform = operation({
  method: 'post',
  path: platformsPath,
  id: 'createPlatform',
  tag: 'Platforms',
  summary: 'Create another platform',
  description: 'A site, an app or a till. Keys, webhook URLs and signing secrets belong to one platform.',
  access: 'admin',
  params: merchantParam,
  body: z.strictObject({ name: nameField }).meta({ id: 'NewPlatform' }),
  examples: { platform: { name: 'Till at Osu' } },
  idempotency: 'honoured',
  success: { status: 201, description: 'The platform.', schema: platform },
  errors: ['merchant_not_found'],
});

export function platformRoutes(router: Router, operations: AdminOperations): void {
  const response = (made: Platform) => jsonResponse(201, platformView(made));

  router.admin(listPlatforms, async ({ params: { id }, query: { limit = defaultPageSize, cursor } }) => {
    if (!(await operations.findMerchant(id))) return apiError('merchant_not_found');
    const platforms = await operations.listPlatforms(id, limit + 1, cursor);
    return jsonResponse(200, toPage(platforms, limit, platformView));
  });
  router.admin(createPlatform, async ({ params: { id: merchantId }, body: { name }, extraWrites }) => {
    const created = await operations.createPlatform({ merchantId, name }, (made) =>
      extraWrites(response(made)),
    );
    return isApiError(created) ? created : response(created);
  });
}
