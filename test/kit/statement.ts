import type { Till } from './till.ts';

/** Returns the statement of a day as the service of a till writes it, for its merchant in test mode. */
export async function fetchStatement({ service }: Till, date: string): Promise<string> {
  const [merchant] = await service.listMerchants();
  const answer = await service.app.request(`/backoffice/merchants/${merchant?.id}/statement?date=${date}`, {
    headers: { authorization: 'Bearer admin-token-0123456789' },
  });
  if (answer.status !== 200) throw new Error(await answer.text());
  return answer.text();
}
