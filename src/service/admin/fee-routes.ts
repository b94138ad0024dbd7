import { z } from 'zod';
import { type Fee, fee, feePage, feeSchedule } from '../../contract/service/admin.ts';
import { type Channel, channels } from '../../contract/service/session.ts';
import { apiError, isApiError } from '../api-error.ts';
import type { EffectiveFee } from '../fee/fee-store.ts';
import { readSchedule, scheduleView } from '../fee/schedule.ts';
import { operation } from '../http/operation.ts';
import { toOnlyPage } from '../http/page.ts';
import { jsonResponse } from '../http/response.ts';
import type { Router } from '../http/router.ts';
import type { AdminOperations } from './operations.ts';
import { merchantParam } from './params.ts';

const tag = 'Fees';
const params = merchantParam.extend({
  channel: z.enum(channels).meta({ description: '`ussd` for offline sessions, `web` for web sessions.' }),
});

const list = operation({
  method: 'get',
  path: '/backoffice/merchants/{id}/fees',
  id: 'listFees',
  tag,
  summary: "List a merchant's fee schedules, one per channel",
  description: 'Returns the schedules that apply to sessions created now, in one page.',
  access: 'admin',
  params: merchantParam,
  success: {
    status: 200,
    description: "The current schedules: the merchant's own, or the service's default.",
    schema: feePage,
  },
  errors: ['merchant_not_found'],
});

const set = operation({
  method: 'put',
  path: '/backoffice/merchants/{id}/fees/{channel}',
  id: 'setFee',
  tag,
  summary: 'Set a fee schedule for one merchant',
  description: 'Applies to sessions that are created from now on. Earlier quotes do not change.',
  access: 'admin',
  params,
  body: feeSchedule,
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
  fieldErrors: {
    basis_points: 'invalid_schedule',
    fixed_minor: 'invalid_schedule',
    floor_minor: 'invalid_schedule',
    cap_minor: 'invalid_schedule',
    bands: 'invalid_schedule',
  },
  success: { status: 200, description: 'The current schedule.', schema: fee },
  errors: ['merchant_not_found', 'not_found'],
});

const clear = operation({
  method: 'delete',
  path: '/backoffice/merchants/{id}/fees/{channel}',
  id: 'clearFee',
  tag,
  summary: "Return to the service's default schedule",
  description: 'Applies to sessions that are created from now on. Without an own schedule nothing changes.',
  access: 'admin',
  params,
  success: { status: 200, description: 'The current schedule.', schema: fee },
  errors: ['merchant_not_found', 'not_found'],
});

export function feeRoutes(router: Router, { fees }: AdminOperations): void {
  const response = (current: EffectiveFee) => jsonResponse(200, feeView(current));

  router.admin(list, async ({ params: { id } }) => {
    const found = await fees.list(id);
    return isApiError(found) ? found : jsonResponse(200, toOnlyPage(found.fees.map(feeView)));
  });
  router.admin(set, async ({ params: { id, channel }, body, extraWrites }) => {
    if (!isChannel(channel)) return apiError('not_found');
    const read = readSchedule(body);
    if (isApiError(read)) return read;
    const changed = await fees.override(id, channel, read.schedule, (row) => extraWrites(response(row)));
    return isApiError(changed) ? changed : response(changed);
  });
  router.admin(clear, async ({ params: { id, channel }, extraWrites }) => {
    if (!isChannel(channel)) return apiError('not_found');
    const cleared = await fees.clear(id, channel, (row) => extraWrites(response(row)));
    return isApiError(cleared) ? cleared : response(cleared);
  });
}

function feeView({ channel, overridden, schedule }: EffectiveFee): Fee {
  return { channel, overridden, schedule: scheduleView(schedule) };
}

/** The router does not validate path parameters. */
function isChannel(text: string): text is Channel {
  return channels.some((channel) => channel === text);
}
