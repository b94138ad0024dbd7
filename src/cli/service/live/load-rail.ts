import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import type { SmsSender } from '../../../service/otp/sms.ts';
import type { Rail, RailModule, ReportRailResult } from '../../../service/rail/rail.ts';
import { errorMessage } from '../../../shared/errors.ts';

/** A created rail, to be attached to the service that accepts its results. */
export type LoadedRail = { kind: 'rail'; attach(report: ReportRailResult): Rail; sms?: SmsSender };

const isFunction = (value: unknown) => typeof value === 'function';

const railModule = z.object({
  createRail: z.custom<RailModule['createRail']>(isFunction, 'it exports no function createRail'),
  sms: z
    .custom<NonNullable<RailModule['sms']>>(
      (value) => typeof value === 'object' && value !== null && 'send' in value && isFunction(value.send),
      'its export sms has no function send',
    )
    .optional(),
});

const createdRail = z.object({
  push: z.custom(isFunction, 'its rail has no function push'),
  inquire: z.custom(isFunction, 'its rail has no function inquire'),
  round: z.custom(isFunction, 'its rail has no function round'),
});

const getReasons = ({ issues }: z.ZodError) => issues.map(({ message }) => message).join('; ');

/**
 * Imports a rail module and creates its rail. Results that the rail reports before it is attached are rejected, and the rail
 * repeats them.
 */
export async function loadRail(file: string): Promise<LoadedRail | { kind: 'fault'; message: string }> {
  const fault = (reason: string) =>
    ({ kind: 'fault', message: `--rail: cannot use ${file}: ${reason}` }) as const;
  let report: ReportRailResult | undefined;
  const reportLater: ReportRailResult = async (result) => {
    if (!report) throw new Error('the service has not started');
    await report(result);
  };
  try {
    const loaded = railModule.safeParse(await import(pathToFileURL(resolve(file)).href));
    if (!loaded.success) return fault(getReasons(loaded.error));
    const { createRail, sms } = loaded.data;
    const rail = createRail(reportLater);
    const checked = createdRail.safeParse(rail);
    if (!checked.success) return fault(getReasons(checked.error));
    const attach = (given: ReportRailResult) => {
      report = given;
      return rail;
    };
    return { kind: 'rail', attach, ...(sms ? { sms } : {}) };
  } catch (error) {
    return fault(errorMessage(error));
  }
}
