/** The part of `fetch` that a delivery uses. */
export type WebhookFetch = (
  url: string,
  request: {
    method: 'POST';
    redirect: 'manual';
    headers: Record<string, string>;
    body: string;
    signal: AbortSignal;
  },
) => Promise<{ status: number; body: { cancel(): Promise<void> } | null }>;

/** The address is not a public one. No request was sent. */
export class AddressRejectedError extends Error {
  override readonly name = 'AddressRejectedError';
}

/** Whether a request failed because its address was rejected. */
export function isAddressRejected(fault: unknown): boolean {
  if (fault instanceof AddressRejectedError) return true;
  return fault instanceof Error && fault.cause !== undefined && isAddressRejected(fault.cause);
}
