/** The sentence for the detail of a lookup that had no usable answer. */
const sentences: Readonly<Record<string, string>> = {
  not_json: 'the body is not JSON in UTF-8',
  no_object: 'the answer is no object such as {"due": 42000}',
  too_large: 'the body is larger than 64 KiB',
  network_error: 'the connection failed',
  threw: 'the function of the menu threw an error',
  ECONNREFUSED: 'no program listens at this address',
  ECONNRESET: 'your system closed the connection without an answer',
  UND_ERR_SOCKET: 'your system closed the connection without an answer',
  ENOTFOUND: 'the name of the host has no address',
  EAI_AGAIN: 'the name of the host could not be resolved',
  ADDRESS_REJECTED: 'the address is private, and allowNetworks of the lookups does not contain it',
};

/** Returns why an answer is unusable, and what to do, for the outcome and the detail of a lookup. */
export function describeUnusable(outcome: string, detail: string | undefined, timeoutMs: number): string {
  if (outcome === 'timeout') return `no whole answer within ${timeoutMs} ms`;
  if (detail === undefined) return outcome;
  const status = Number(/^http_(\d{3})$/.exec(detail)?.[1]);
  if (status > 0) return describeStatus(status);
  const at = /^threw at (.+)$/.exec(detail)?.[1];
  if (at !== undefined) return `${sentences.threw} at ${at}`;
  const sentence = sentences[detail];
  if (sentence !== undefined) return sentence;
  return /^[A-Z][A-Z0-9_]+$/.test(detail) ? `${sentences.network_error}: ${detail}` : detail;
}

function describeStatus(status: number): string {
  const expected = `HTTP ${status}: expected 200, or 404 for a record that does not exist`;
  if (status >= 300 && status < 400) return `${expected}. Redirects are not followed`;
  const isRefused = status === 401 || status === 403;
  return isRefused ? `${expected}. Compare the secret, and the clock of your system` : expected;
}
