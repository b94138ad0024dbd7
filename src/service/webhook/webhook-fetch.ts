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
