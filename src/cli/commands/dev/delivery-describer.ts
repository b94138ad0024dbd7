import { z } from 'zod';
import type { Delivery } from '../../../gateway/notify/deliver.ts';
import { printable } from '../../terminal/protected-output.ts';
import type { Paint } from '../../terminal/terminal.ts';

const payment = z.object({
  data: z.object({ short_reference: z.string(), confirmed: z.boolean().optional() }),
});

/**
 * Returns a function that describes each attempt to notify a merchant's system in one line. The likely cause of a failure follows
 * when the endpoint did not fail in the same way before.
 *
 * @param receiver the command that starts the merchant's system, where it is known.
 */
export function createDeliveryDescriber(paint: Paint, receiver: string | undefined) {
  /** By endpoint. A merchant has a few. */
  const lastResults = new Map<string, string>();
  return (delivery: Delivery): string => {
    const { endpoint, notification, isDelivered, status, error } = delivery;
    const about = [...describePayment(notification), endpoint.url];
    const head = isDelivered ? paint('green', 'notified') : paint('red', 'not notified');
    const result = status === null ? `${error}` : `HTTP ${status}`;
    const isKnown = lastResults.get(endpoint.id) === result;
    lastResults.set(endpoint.id, result);
    const line = `${head}  ${printable(about.join('  '))}  ${result}\n`;
    return isDelivered || isKnown ? line : `${line}  ${likelyCause(delivery, receiver)}\n`;
  };
}

/** Two notifications of one payment can differ in `confirmed` alone. */
function describePayment({ type, body }: Delivery['notification']): string[] {
  const { data } = payment.safeParse(JSON.parse(body)).data ?? {};
  return [data?.confirmed ? `${type} confirmed` : type, ...(data ? [data.short_reference] : [])];
}

function likelyCause(
  { endpoint: { id, url }, status, error }: Delivery,
  receiver: string | undefined,
): string {
  const command = (action: string) => `npx dialtill merchant endpoints ${action} ${id}`;
  switch (status ?? error) {
    case 401:
      return `Likely cause: your system has another secret. Start it with HOOKS_SECRET of .env, or get a new secret: ${command('rotate')}`;
    case 403:
      return 'Likely cause: your framework protects the path, for example against CSRF. Exclude this path from the protection.';
    case 404:
    case 405:
      return 'Likely cause: your system has another path, or does not accept POST there. Compare it with the URL of the endpoint.';
    case 410:
      return `Your system refused all further notifications. To send again: ${command('enable')}`;
    case 'connection':
      return `Likely cause: your system does not run. Nothing listens at ${new URL(url).origin}.${receiver === undefined ? '' : ` Start it: ${receiver}`}`;
    case 'timeout':
      return 'Your system did not answer within 15 seconds. Answer first, and work on the notification afterwards.';
    case 'address_refused':
      return 'The address is not a public one. Add its network to notify.allowPrivate of the merchant in dialtill.yaml.';
    case 'secret_unreadable':
      return `notify.secretsKey has changed, so that the secret cannot be read. Get a new one: ${command('rotate')}`;
  }
  return status !== null && status < 400
    ? 'Redirects are not followed. Add the final address as the endpoint.'
    : `Read the log of your system. The answer: ${command('log')}`;
}
