import { merchantScopes, paymentPage } from '../../src/contract/merchant/merchant-api.ts';
import { merchantKeySecret } from '../../src/contract/staff/merchant-system.ts';
import type { SeededPrograms } from '../../test/seed/seeded-programs.ts';
import { median, quantile } from '../kit/median.ts';

/** Requests of one kind. */
const requests = 50;

const merchantId = 'abena-stores';

/** What merchants' own systems ask for. `{id}` is a payment, `{next}` the cursor of the first page without a filter. */
const paths = [
  '/payments',
  '/payments?after={next}',
  '/payments?status=paid',
  '/payments?status=not_paid&reason=declined',
  '/payments?channel=nalo&network=mtn',
  '/payments?reference=INV-7042',
  '/payments?from=2026-03-12T00:00:00Z&to=2026-03-12T12:00:00Z&min=500',
  '/payments?late=true',
  '/payments/{id}',
  '/payments/{id}/timeline',
  '/events',
  '/events?after={next}',
  '/days/2026-03-12',
  '/unplaced',
];

export type ApiFigure = { path: string; medianMs: number; p95Ms: number };

/** Measures the API of merchants' own systems in this process: the times of requests, with their answers as text. */
export async function measureMerchantApi(programs: SeededPrograms): Promise<ApiFigure[]> {
  const { secret } = await programs
    .asConfiguration()
    .post('/merchant-keys', merchantKeySecret, { merchantId, scopes: merchantScopes });
  const headers = { authorization: `Bearer ${secret}` };
  const call = async (path: string) => {
    // The clock stands still, and the gateway limits the requests of a key in a second.
    await programs.advance(1_000);
    const before = performance.now();
    const answer = await programs.fetch(`http://gateway/merchant/v1${path}`, { headers });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text.slice(0, 500)}`);
    return { text, ms: performance.now() - before };
  };
  const nextOf = async (path: string) => String(JSON.parse((await call(path)).text).next);
  const { data } = paymentPage.parse(JSON.parse((await call('/payments')).text));
  const figures: ApiFigure[] = [];
  for (const path of paths) {
    const [page = '', rest] = path.split('{next}');
    const known = rest === undefined ? page : page + (await nextOf(page.replace('?after=', '')));
    const elapsed: number[] = [];
    for (let request = 0; request < requests; request++) {
      const id = data[request % data.length]?.id ?? '';
      elapsed.push((await call(known.replace('{id}', id))).ms);
    }
    figures.push({ path, medianMs: median(elapsed), p95Ms: quantile(elapsed, 0.95) });
  }
  return figures;
}
