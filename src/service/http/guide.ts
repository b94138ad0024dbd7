import { magicNumbers } from '../../contract/service/magic-numbers.ts';
import { testCode } from '../otp/verify.ts';

/** How the service delivers webhooks, as far as receivers depend on it. */
export type DeliverySettings = {
  headerName: string;
  retryDelaysMs: readonly number[];
  timeoutMs: number;
};

/** The address in the samples. The pages show the service's own instead. */
export const sampleAddress = 'http://127.0.0.1:8090';

/** The first steps, in plain Markdown: from a sandbox to a paid session, and the numbers to test with. */
function firstSteps(): string {
  return `
## First steps

Create a merchant and its test key with the admin token of the service. In the folder of a sandbox, the commands find both:

\`\`\`
npx dialtill service merchants create 'Abena Stores'
npx dialtill service merchants approve <id>
SERVICE=${sampleAddress}
KEY=$(npx dialtill service keys create --quiet)
\`\`\`

Create a session and send the prompt to a test number, whose payer approves after three seconds. Then poll:

\`\`\`
curl -sS "$SERVICE/v1/payments/sessions" -H "Authorization: Bearer $KEY" \\
  -H 'Content-Type: application/json' -H "Idempotency-Key: $(date +%s%N)" \\
  -d '{"mode":"offline","msisdn":"233244123901","amount_minor":2000,"network":"mtn","reference":"INV-7"}'
SESSION=pay_…   # the id of the response
curl -sS -X POST "$SERVICE/v1/payments/sessions/$SESSION/initiate" -H "Authorization: Bearer $KEY"
curl -sS "$SERVICE/v1/payments/sessions/$SESSION/status" -H "Authorization: Bearer $KEY"
\`\`\`

To see the events, run \`npx dialtill service listen --forward-to http://127.0.0.1:3000/hook\` with the URL of your program.

## Test numbers

With a test key, the last three digits of the payer's number select the outcome. One-time codes for these numbers are always
\`${testCode}\`.

${magicNumbers.map(({ ending, name, behaviour }) => `- \`${ending}\` \`${name}\`: ${behaviour}`).join('\n')}
`.trim();
}

/** The introduction of the API document, in plain Markdown. */
export function guide({ headerName, retryDelaysMs, timeoutMs }: DeliverySettings): string {
  return `
Collects mobile-money payments for merchants. Create a session, initiate it, and wait for its webhook event, or poll
until its status is \`paid\`, \`failed\` or \`expired\`.

${firstSteps()}

## Requests

Bodies are JSON in UTF-8, sent as \`application/json\`, at most 64 KiB. Amounts are integers in pesewas. Times are ISO 8601
in UTC with milliseconds. An unknown field is an error. Responses may gain fields within \`/v1\`: ignore unknown fields.

Send a merchant's key as \`Authorization: Bearer sk_test_…\` or \`sk_live_…\`. Test and live data are separate. Keep the key
on your server. The admin API accepts the admin token in the same header. Every response has a \`Request-Id\`.

## Idempotency

Send \`Idempotency-Key\` (1 to 255 printable ASCII characters) with a POST. A repeated request with the same key returns the
first response, byte for byte, with \`Idempotent-Replayed: true\`. Keys are stored for 24 hours, per merchant and mode.

- The same key with a different request returns \`idempotency_key_reused\`.
- While the first request is in progress, a second one returns \`idempotency_in_progress\` with \`Retry-After\`.
- Errors before processing starts, such as an invalid field or key, do not use up the key.
- A response with \`Retry-After\` is not stored: repeat the same request with the same key.

Creating an offline session requires a key. If you receive no response, repeat the request with the same key: the payer
is not charged twice.

## Lists

A list returns \`data\`, \`has_more\` and \`next_cursor\`. Send \`next_cursor\` as \`cursor\` for the next page. Pages neither
skip nor repeat rows while new rows are added.

## Errors

All errors have the same body. Handle errors by \`error.code\`; the wording of \`error.message\` may change.

\`\`\`
{"error":{"code":"invalid_amount","message":"The amount must be …","param":"amount_minor"},"request_id":"req_01k5n8"}
\`\`\`

A 4xx is final unless it has \`Retry-After\`. A 503 changed nothing. After \`rail_unknown\` the payer may have received a
prompt: poll the session.

## Webhooks and their signature

When a payment ends, its event is sent to your URL by POST. Any 2xx within ${timeoutMs / 1000} seconds counts as delivered.
Otherwise the same bytes are sent again with the same event id, up to ${retryDelaysMs.length + 1} times over ${getSpan(retryDelaysMs)}. Events are
delivered at least once, in any order: process each event id only once.

\`${headerTitle(headerName)}: t=<unix seconds>,v1=<hex>\` authenticates the sender. To verify it:

1. Read \`t\` and every \`v1\`. Reject a \`t\` that differs from your clock by more than 5 minutes.
2. Compute HMAC-SHA256 over \`t\`, a dot and the raw body as received, with the signing secret as key.
3. Compare the result with each \`v1\` in constant time. One match is sufficient: during a rotation there are several.

\`\`\`
const [t, ...signatures] = header.split(',').map((part) => part.slice(part.indexOf('=') + 1));
const expected = createHmac('sha256', secret).update(\`\${t}.\${rawBody}\`).digest();
const genuine = signatures.some((hex) => /^[0-9a-f]{64}$/.test(hex) && timingSafeEqual(Buffer.from(hex, 'hex'), expected));
const fresh = Math.abs(nowInSeconds - Number(t)) <= 300;
\`\`\`
`.trim();
}

/** The time from the first attempt to the last, rounded. */
function getSpan(delaysMs: readonly number[]): string {
  const hours = delaysMs.reduce((sum, ms) => sum + ms, 0) / 3_600_000;
  return hours >= 48 ? `${Math.round(hours / 24)} days` : `${Math.max(1, Math.round(hours))} hours`;
}

/** Formats a header name in title case: `Service-Event-Id`. */
export function headerTitle(name: string): string {
  return name.replaceAll(/(?<![a-z])[a-z]/g, (letter) => letter.toUpperCase());
}
