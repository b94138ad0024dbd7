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
) => Promise<{ status: number; body: WebhookBody | null }>;

/** The part of a `ReadableStream` that a delivery uses. */
export type WebhookBody = {
  /** Returns the whole body if it has arrived already. */
  whole?(): Uint8Array | undefined;
  getReader(): {
    read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>;
    cancel(): Promise<unknown>;
  };
};
