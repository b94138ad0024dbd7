import type { Database } from '../../../src/sqlite/driver.ts';

/** Limits on collections of one merchant. */
export type SeveralLimits = {
  merchant: { perMinute: number };
  dialler: { perHour: number };
  payer: { perHour: number };
  requests: { payer: { perHour: number }; dialler: { perHour: number } };
};

/** Returns a line for each time in which more collections were opened than a limit allows. */
export function findExceeded(
  file: Database,
  { merchant, dialler, payer, requests }: SeveralLimits,
): string[] {
  const minute = 60_000;
  // Requests by other phones do not count against a payer's own payment.
  const [own, other] = ["requested_by = 'payer'", "requested_by = 'other'"];
  return [
    ...exceeded(file, { group: 'merchant_id', where: own, max: merchant.perMinute, ms: minute }),
    ...exceeded(file, {
      ...{ group: "merchant_id || ' ' || dialler", where: "requested_by <> 'attendant'" },
      ...{ max: dialler.perHour, ms: 60 * minute },
    }),
    ...exceeded(file, {
      ...{ group: "merchant_id || ' ' || payer", where: own },
      ...{ max: payer.perHour, ms: 60 * minute },
    }),
    ...exceeded(file, { group: 'payer', where: other, max: requests.payer.perHour, ms: 60 * minute }),
    ...exceeded(file, { group: 'dialler', where: other, max: requests.dialler.perHour, ms: 60 * minute }),
  ];
}

type Rule = { group: string; where: string; max: number; ms: number };

/** Times of one gateway differ from those of another by the error of its clock. */
const clockErrorMs = 20;

function exceeded(file: Database, { group, where, max, ms }: Rule): string[] {
  const rows = file
    .prepare(
      `SELECT grouped, n FROM (SELECT ${group} AS grouped, count(*) OVER (PARTITION BY ${group} ORDER BY opened_at
         RANGE BETWEEN ${ms - clockErrorMs} PRECEDING AND CURRENT ROW) AS n FROM collection WHERE ${where}) WHERE n > ?`,
    )
    .all(max) as { grouped: string; n: number }[];
  return rows.map(
    ({ grouped, n }) => `${n} collections of ${grouped} in ${ms} ms, although ${max} are allowed`,
  );
}
