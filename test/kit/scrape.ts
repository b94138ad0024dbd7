import { countOf, readMetrics } from '../gateway/metrics/read-metrics.ts';
import type { Till } from './till.ts';

const thisMachine = { incoming: { socket: { remoteAddress: '127.0.0.1' } } };

/** Returns the present value of one series of a till's gateway; 0 for a series that does not exist. */
export async function scrape(till: Till, name: string, labels: Record<string, string> = {}): Promise<number> {
  const answer = await till.gateway().app.request('http://gateway.test/metrics', {}, thisMachine);
  return countOf(readMetrics(await answer.text()), `dialtill_${name}`, labels);
}
