import { z } from '@hono/zod-openapi';
import { apiError, isApiError } from '../api-error.ts';
import { answer } from '../http/answer.ts';
import type { Endpoints } from '../http/endpoint.ts';
import { operation } from '../http/operation.ts';
import type { Platform } from '../merchant/merchant-store.ts';
import type { BackOffice } from './operations.ts';
import { listLimit, merchantParam, nameField } from './params.ts';
import { platformShape, platformView } from './schemas.ts';

const tag = 'Platforms';
const path = '/backoffice/merchants/{id}/platforms';

const list = operation({
  method: 'get',
  path,
  id: 'listPlatforms',
  tag,
  summary: "List a merchant's platforms, the first one first",
  access: 'admin',
  params: merchantParam,
  success: {
    status: 200,
    description: 'At most 100.',
    schema: z.strictObject({ platforms: z.array(platformShape) }).meta({ id: 'Platforms' }),
  },
  errors: ['merchant_not_found'],
});

const create = operation({
  method: 'post',
  path,
  id: 'createPlatform',
  tag,
  summary: 'Create a further platform',
  description: 'A site, an app or a till: keys, webhook URL and signing secret are set for each.',
  access: 'admin',
  params: merchantParam,
  body: z.strictObject({ name: nameField }).meta({ id: 'NewPlatform' }),
  examples: { platform: { name: 'Till at Osu' } },
  idempotency: 'honoured',
  success: { status: 201, description: 'The platform.', schema: platformShape },
  errors: ['merchant_not_found'],
});

export function platformRoutes(serve: Endpoints, verbs: BackOffice): void {
  const made = (platform: Platform) => answer(201, platformView(platform));

  serve.admin(list, async ({ params: { id } }) => {
    if (!(await verbs.findMerchant(id))) return apiError('merchant_not_found');
    const platforms = await verbs.listPlatforms(id, listLimit);
    return answer(200, { platforms: platforms.map(platformView) });
  });
  serve.admin(create, async ({ params: { id: merchantId }, body: { name }, extraWrites }) => {
    const platform = await verbs.createPlatform({ merchantId, name }, (one) => extraWrites(made(one)));
    return isApiError(platform) ? platform : made(platform);
  });
}
