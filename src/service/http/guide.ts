/** How webhooks go out, as far as a receiver must know it. */
export type DeliverySettings = {
  headerName: string;
  /** The waits between the attempts. */
  retryDelaysMs: readonly number[];
  timeoutMs: number;
};

/** What a developer reads before the operations, in plain Markdown. */
export function guide({ headerName, retryDelaysMs, timeoutMs }: DeliverySettings): string {
  return `
Collects mobile-money payments for merchants. Create a session, initiate it, and learn the result by webhook or by
polling until its status is \`paid\`, \`failed\` or \`expired\`.

## Calling

Bodies are JSON in UTF-8, sent as \`application/json\`, at most 64 KiB. Amounts are integers in pesewas; times are ISO 8601
in UTC with milliseconds. An unknown field is refused. Answers may gain fields within \`/v1\`: read them tolerantly.

A merchant's calls carry \`Authorization: Bearer sk_test_…\` or \`sk_live_…\`. Test and live data never meet. Keep the key on
your server. The back office takes its admin token in the same way. Every answer names its call in \`Request-Id\`.

\`\`\`
SERVICE=http://127.0.0.1:8090
KEY=sk_test_…
\`\`\`

## Idempotency

Send \`Idempotency-Key\` (1 to 255 printable ASCII characters) with a POST, and the same request again gets the first
answer, byte for byte, with \`Idempotent-Replayed: true\`. A key is remembered for 24 hours, for each merchant and mode.

- The same key with another request is refused: \`idempotency_key_reused\`.
- While the first request is being answered, the second gets \`idempotency_in_progress\` and \`Retry-After\`.
- What was refused before the work began (a wrong field, a wrong key) leaves the key free.
- An answer with \`Retry-After\` is not kept: make the same call again, with the same key.

Offline creation is refused without it. After a lost answer, repeat the call with the same key: nobody is charged twice.

## Lists

A list answers \`data\`, \`has_more\` and \`next_cursor\`. Send \`next_cursor\` as \`cursor\` for the next page. Pages neither
skip nor repeat while new rows are added.

## Errors

Every refusal has one shape. Decide by \`error.code\`; the words of \`error.message\` may change.

\`\`\`
{"error":{"code":"invalid_amount","message":"The amount must be …","param":"amount_minor"},"request_id":"req_01k5n8"}
\`\`\`

A 4xx is final unless it has \`Retry-After\`. A 503 did nothing. After \`rail_unknown\` a prompt may be out: poll the session.

## Webhooks and their signature

When a payment ends, its event is POSTed to your URL. Any 2xx within ${timeoutMs / 1000} seconds is a delivery. Everything else is a
failure, and the same bytes are sent again under the same event id, up to ${retryDelaysMs.length + 1} times over ${spanOf(retryDelaysMs)}. Delivery is at least
once and in no promised order: act once on each event id.

\`${headerTitle(headerName)}: t=<unix seconds>,v1=<hex>\` proves who sent it. To check:

1. Take \`t\` and every \`v1\`. Refuse a \`t\` more than 5 minutes away from your clock.
2. Compute HMAC-SHA256 over \`t\`, a dot and the raw body as it arrived, keyed with the signing secret as it is written.
3. Compare in constant time with each \`v1\`; one that is equal is enough. While a secret is being replaced there are several.

\`\`\`
const [t, ...signatures] = header.split(',').map((part) => part.slice(part.indexOf('=') + 1));
const expected = createHmac('sha256', secret).update(\`\${t}.\${rawBody}\`).digest();
const genuine = signatures.some((hex) => /^[0-9a-f]{64}$/.test(hex) && timingSafeEqual(Buffer.from(hex, 'hex'), expected));
const fresh = Math.abs(nowInSeconds - Number(t)) <= 300;
\`\`\`
`.trim();
}

/** The time from the first attempt to the last, roundly. */
function spanOf(waitsMs: readonly number[]): string {
  const hours = waitsMs.reduce((sum, ms) => sum + ms, 0) / 3_600_000;
  return hours >= 48 ? `${Math.round(hours / 24)} days` : `${Math.max(1, Math.round(hours))} hours`;
}

/** A header's name as it is usually written: `Service-Event-Id`. */
export function headerTitle(name: string): string {
  return name.replaceAll(/(?<![a-z])[a-z]/g, (letter) => letter.toUpperCase());
}
