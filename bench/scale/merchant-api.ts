import { merchantScopes, paymentPage } from '../../src/contract/merchant/merchant-api.ts';
import { merchantKeySecret } from '../../src/contract/staff/merchant-system.ts';
import type { SeededPrograms } from '../../test/seed/seeded-programs.ts';
import { median, quantile } from '../kit/median.ts';

/** Requests of one kind, below what a key may send at once. */
const requests = 50;

const merchantId = 'abena-stores';

/** What merchants' own systems ask for. `{id}` is a payment, `{next}` the cursor of a page. */
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
  '/events?after=100000',
  '/days/2026-03-12',
  '/unplaced',
];

export type ApiFigure = { path: string; medianMs: number; p95Ms: number };

/** Measures the API of merchants' own systems in this process: the times of requests, with their answers as text. */
export async function measureMerchantApi(programs: SeededPrograms): Promise<ApiFigure[]> {
  const staff = programs.asConfiguration();
  const createKey = async () =>
    (await staff.post('/merchant-keys', merchantKeySecret, { merchantId, scopes: merchantScopes })).secret;
  const call = async (secret: string, path: string) => {
    const headers = { authorization: `Bearer ${secret}` };
    const answer = await programs.fetch(`http://gateway/merchant/v1${path}`, { headers });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text.slice(0, 500)}`);
    return text;
  };
  const { data, next } = paymentPage.parse(JSON.parse(await call(await createKey(), '/payments')));
  const figures: ApiFigure[] = [];
  for (const path of paths) {
    const secret = await createKey();
    const elapsed: number[] = [];
    for (let request = 0; request < requests; request++) {
      const id = data[request % data.length]?.id ?? '';
      const before = performance.now();
      await call(secret, path.replace('{id}', id).replace('{next}', next ?? ''));
      elapsed.push(performance.now() - before);
    }
    figures.push({ path, medianMs: median(elapsed), p95Ms: quantile(elapsed, 0.95) });
  }
  return figures;
}
