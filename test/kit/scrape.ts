import { countOf, readMetrics } from '../gateway/metrics/read-metrics.ts';
import type { Till } from './till.ts';

const thisMachine = { incoming: { socket: { remoteAddress: '127.0.0.1' } } };

/** Returns the present metrics of a till's gateway. */
export async function scrapeAll(till: Till) {
  const answer = await till.gateway().app.request('http://gateway.test/metrics', {}, thisMachine);
  return readMetrics(await answer.text());
}

/** Returns the present value of one series of a till's gateway; 0 for a series that does not exist. */
export async function scrape(till: Till, name: string, labels: Record<string, string> = {}): Promise<number> {
  return countOf(await scrapeAll(till), `dialtill_${name}`, labels);
}
