import { z } from '@hono/zod-openapi';
import { platform, platformList } from '../../contract/admin.ts';
import { apiError, isApiError } from '../api-error.ts';
import { operation } from '../http/operation.ts';
import { jsonResponse } from '../http/response.ts';
import type { Router } from '../http/router.ts';
import type { Platform } from '../merchant/merchant-store.ts';
import type { AdminOperations } from './operations.ts';
import { maxListLength, merchantParam, nameField } from './params.ts';
import { platformView } from './views.ts';

const tag = 'Platforms';
const path = '/backoffice/merchants/{id}/platforms';

const list = operation({
  method: 'get',
  path,
  id: 'listPlatforms',
  tag,
  summary: "List a merchant's platforms, oldest first",
  description: 'Returns at most 100 platforms.',
  access: 'admin',
  params: merchantParam,
  success: { status: 200, description: 'At most 100 platforms.', schema: platformList },
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

  router.admin(list, async ({ params: { id } }) => {
    if (!(await operations.findMerchant(id))) return apiError('merchant_not_found');
    const platforms = await operations.listPlatforms(id, maxListLength);
    return jsonResponse(200, { platforms: platforms.map(platformView) });
  });
  router.admin(create, async ({ params: { id: merchantId }, body: { name }, extraWrites }) => {
    const created = await operations.createPlatform({ merchantId, name }, (made) =>
      extraWrites(response(made)),
    );
    return isApiError(created) ? created : response(created);
  });
}
