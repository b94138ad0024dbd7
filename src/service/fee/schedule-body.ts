import type { FeeScheduleBody } from '../../contract/admin.ts';
import { type ApiError, apiError } from '../api-error.ts';
import { type FeeSchedule, feeSchedule } from './schedule.ts';

/**
 * Reads the schedule of a request. Returns `invalid_schedule` if its parts contradict each other: the cap is below the
 * floor, or the bands are not in ascending order.
 */
export function readSchedule(wire: FeeScheduleBody): { kind: 'schedule'; schedule: FeeSchedule } | ApiError {
  const { basis_points, fixed_minor, floor_minor, cap_minor, bands } = wire;
  const parsed = feeSchedule.safeParse({
    basisPoints: basis_points,
    ...(fixed_minor === undefined ? {} : { fixedMinor: fixed_minor }),
    ...(floor_minor === undefined ? {} : { floorMinor: floor_minor }),
    ...(cap_minor === undefined ? {} : { capMinor: cap_minor }),
    ...(bands === undefined
      ? {}
      : {
          bands: bands.map((band) => ({
            upToMinor: band.up_to_minor,
            basisPoints: band.basis_points,
            ...(band.fixed_minor === undefined ? {} : { fixedMinor: band.fixed_minor }),
          })),
        }),
  });
  if (parsed.success) return { kind: 'schedule', schedule: parsed.data };
  const issue = parsed.error.issues[0];
  return apiError('invalid_schedule', {
    param: issue?.path[0] === 'capMinor' ? 'cap_minor' : 'bands',
    detail:
      issue?.path[0] === 'capMinor' ? 'The cap is below the floor.' : 'The bands must be in ascending order.',
  });
}

export function scheduleView(schedule: FeeSchedule): FeeScheduleBody {
  const { basisPoints, fixedMinor, floorMinor, capMinor, bands } = schedule;
  return {
    basis_points: basisPoints,
    ...(fixedMinor === undefined ? {} : { fixed_minor: fixedMinor }),
    ...(floorMinor === undefined ? {} : { floor_minor: floorMinor }),
    ...(capMinor === undefined ? {} : { cap_minor: capMinor }),
    ...(bands === undefined
      ? {}
      : {
          bands: bands.map((band) => ({
            up_to_minor: band.upToMinor,
            basis_points: band.basisPoints,
            ...(band.fixedMinor === undefined ? {} : { fixed_minor: band.fixedMinor }),
          })),
        }),
  };
}
