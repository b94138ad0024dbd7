import { z } from '@hono/zod-openapi';
import { apiError, isApiError } from '../api-error.ts';
import type { EffectiveFee } from '../fee/fee-schedules.ts';
import { readSchedule, scheduleShape, scheduleView } from '../fee/schemas.ts';
import { answer } from '../http/answer.ts';
import type { Endpoints } from '../http/endpoint.ts';
import { operation } from '../http/operation.ts';
import { type Channel, channels } from '../schema.ts';
import type { BackOffice } from './operations.ts';
import { merchantParam } from './params.ts';

const tag = 'Fees';
const params = merchantParam.extend({
  channel: z.enum(channels).meta({ description: '`ussd` for offline sessions, `web` for the others.' }),
});

const feeShape = z
  .strictObject({
    channel: z.enum(channels),
    overridden: z.boolean().meta({ description: "Whether it is the merchant's own." }),
    schedule: scheduleShape,
  })
  .meta({ id: 'Fee' });

const list = operation({
  method: 'get',
  path: '/backoffice/merchants/{id}/fees',
  id: 'listFees',
  tag,
  summary: 'Show what each channel costs a merchant',
  access: 'admin',
  params: merchantParam,
  success: {
    status: 200,
    description: "The schedules in force: the merchant's own where it has one, else the service's.",
    schema: z.strictObject({ fees: z.array(feeShape) }).meta({ id: 'Fees' }),
  },
  errors: ['merchant_not_found'],
});

const set = operation({
  method: 'put',
  path: '/backoffice/merchants/{id}/fees/{channel}',
  id: 'setFee',
  tag,
  summary: 'Give a merchant a fee schedule of its own',
  description: 'For sessions that are created from now on; what was quoted before stays.',
  access: 'admin',
  params,
  body: scheduleShape,
  examples: {
    percent: { basis_points: 150, floor_minor: 10, cap_minor: 1000 },
    bands: {
      basis_points: 75,
      bands: [
        { up_to_minor: 5000, basis_points: 0, fixed_minor: 25 },
        { up_to_minor: 100000, basis_points: 100, fixed_minor: 10 },
      ],
    },
  },
  codes: {
    basis_points: 'invalid_schedule',
    fixed_minor: 'invalid_schedule',
    floor_minor: 'invalid_schedule',
    cap_minor: 'invalid_schedule',
    bands: 'invalid_schedule',
  },
  success: { status: 200, description: 'The schedule in force.', schema: feeShape },
  errors: ['merchant_not_found', 'not_found'],
});

const clear = operation({
  method: 'delete',
  path: '/backoffice/merchants/{id}/fees/{channel}',
  id: 'clearFee',
  tag,
  summary: "Go back to the service's own schedule",
  description: 'For sessions that are created from now on. Without an own schedule nothing changes.',
  access: 'admin',
  params,
  success: { status: 200, description: 'The schedule in force.', schema: feeShape },
  errors: ['merchant_not_found', 'not_found'],
});

export function feeRoutes(serve: Endpoints, { fees }: BackOffice): void {
  const shown = (fee: EffectiveFee) => answer(200, view(fee));

  serve.admin(list, async ({ params: { id } }) => {
    const found = await fees.list(id);
    return isApiError(found) ? found : answer(200, { fees: found.fees.map(view) });
  });
  serve.admin(set, async ({ params: { id, channel }, body, extraWrites }) => {
    if (!isChannel(channel)) return apiError('not_found');
    const read = readSchedule(body);
    if (isApiError(read)) return read;
    const fee = await fees.override(id, channel, read.schedule, (one) => extraWrites(shown(one)));
    return isApiError(fee) ? fee : shown(fee);
  });
  serve.admin(clear, async ({ params: { id, channel }, extraWrites }) => {
    if (!isChannel(channel)) return apiError('not_found');
    const fee = await fees.clear(id, channel, (one) => extraWrites(shown(one)));
    return isApiError(fee) ? fee : shown(fee);
  });
}

function view({ channel, overridden, schedule }: EffectiveFee) {
  return { channel, overridden, schedule: scheduleView(schedule) };
}

/** Path parameters are taken as they come. */
function isChannel(text: string): text is Channel {
  return channels.some((one) => one === text);
}
