import { z } from '@hono/zod-openapi';
import { type ApiError, apiError } from '../api-error.ts';
import {
  basisPoints,
  type FeeSchedule,
  feeSchedule,
  maxBands,
  positiveMinor,
  upToAllMinor,
} from './schedule.ts';

/** A fee schedule in the back office's words. */

const share = basisPoints.meta({
  description: "Hundredths of a percent of the goods' value, rounded half up to a pesewa.",
  example: 150,
});
const fixed = upToAllMinor.optional().meta({ description: 'Pesewas that are added to the share.' });

export const scheduleShape = z
  .strictObject({
    basis_points: share,
    fixed_minor: fixed,
    floor_minor: upToAllMinor.optional().meta({ description: 'The fee is never less.' }),
    cap_minor: upToAllMinor.optional().meta({ description: 'The fee is never more.' }),
    bands: z
      .array(z.strictObject({ up_to_minor: positiveMinor, basis_points: share, fixed_minor: fixed }))
      .max(maxBands)
      .optional()
      .meta({
        description:
          'Rising. The first band that reaches up to the value of the goods sets the rate for all of it; above ' +
          "every band the schedule's own rate holds.",
      }),
  })
  .meta({ id: 'FeeSchedule' });
type WireSchedule = z.infer<typeof scheduleShape>;

/** Refuses `invalid_schedule` where the parts do not fit each other: a cap below the floor, bands that do not rise. */
export function readSchedule(wire: WireSchedule): { kind: 'schedule'; schedule: FeeSchedule } | ApiError {
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
    detail: issue?.path[0] === 'capMinor' ? 'The cap is below the floor.' : 'The bands must rise.',
  });
}

export function scheduleView(schedule: FeeSchedule): WireSchedule {
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
