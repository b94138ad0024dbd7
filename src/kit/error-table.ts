import type { ContentfulStatusCode } from 'hono/utils/http-status';

/** Each error code of an API: its status, its meaning, and after how many seconds the same request may succeed. */
export type ErrorTable<Code extends string = string> = Readonly<
  Record<
    Code,
    { readonly status: ContentfulStatusCode; readonly message: string; readonly retryAfterSeconds?: number }
  >
>;
