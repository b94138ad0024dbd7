import { z } from '@hono/zod-openapi';
import { platform, platformPage } from '../../contract/admin.ts';
import { pageQuery } from '../../contract/page.ts';
import { apiError, isApiError } from '../api-error.ts';
import { operation } from '../http/operation.ts';
import { defaultPageSize, toPage } from '../http/page.ts';
import { jsonResponse } from '../http/response.ts';
import type { Router } from '../http/router.ts';
import type { Platform } from '../merchant/merchant-store.ts';
import type { AdminOperations } from './operations.ts';
import { merchantParam, nameField } from './params.ts';
import { platformView } from './views.ts';

const tag = 'Platforms';
const path = '/backoffice/merchants/{id}/platforms';

const list = operation({
  method: 'get',
  path,
  id: 'listPlatforms',
  tag,
  summary: "List a merchant's platforms, oldest first",
  description: "The first platform is the merchant's default.",
  access: 'admin',
  params: merchantParam,
  query: z.strictObject(pageQuery),
  success: { status: 200, description: 'A page of platforms.', schema: platformPage },
  errors: ['merchant_not_found'],
});

const create = operation({
  method: 'post',
  path,
  id: 'createPlatform',
  tag,
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

  router.admin(list, async ({ params: { id }, query: { limit = defaultPageSize, cursor } }) => {
    if (!(await operations.findMerchant(id))) return apiError('merchant_not_found');
    const platforms = await operations.listPlatforms(id, limit + 1, cursor);
    return jsonResponse(200, toPage(platforms, limit, platformView));
  });
  router.admin(create, async ({ params: { id: merchantId }, body: { name }, extraWrites }) => {
    const created = await operations.createPlatform({ merchantId, name }, (made) =>
      extraWrites(response(made)),
    );
    return isApiError(created) ? created : response(created);
  });
}
