import { Agent, fetch } from 'undici';
import type { Clock } from '../../shared/clock.ts';
import { createDeadlines } from '../../shared/deadlines.ts';
import { isPublicAddress, mayBePublic } from '../../shared/http/addresses.ts';
import { AddressRejectedError, checkedLookup, type NameLookup } from '../../shared/http/checked-fetch.ts';
import { dispatchRequest } from '../../shared/http/dispatch.ts';
import type { WebhookBody, WebhookFetch } from '../../shared/http/webhook-fetch.ts';

/** How much of a response is read, and for how long, so that its connection serves the next delivery. */
const maxBodyBytes = 16 * 1024;
const maxBodyMs = 1_000;

/** A response body as it arrives. One that is too long, or too slow after its cancellation, closes its connection. */
class ResponseBody implements WebhookBody {
  private readonly within: ReturnType<typeof createDeadlines>;
  private readonly closeConnection: () => void;
  private chunks: Uint8Array[] = [];
  private size = 0;
  private hasEnded = false;
  /** Called at the next chunk, and at the end. */
  private onChange: () => void = () => {};

  constructor(within: ReturnType<typeof createDeadlines>, closeConnection: () => void) {
    this.within = within;
    this.closeConnection = closeConnection;
  }

  push(chunk: Uint8Array): void {
    this.size += chunk.byteLength;
    if (this.size > maxBodyBytes) {
      this.closeConnection();
      return;
    }
    this.chunks.push(chunk);
    this.onChange();
  }

  /** Records the end of the body, or of its connection. */
  end(): void {
    this.hasEnded = true;
    this.onChange();
  }

  whole(): Uint8Array | undefined {
    return this.hasEnded ? Buffer.concat(this.chunks) : undefined;
  }

  getReader() {
    return { read: () => this.read(), cancel: () => this.cancel() };
  }

  private async read(): Promise<{ done: boolean; value?: Uint8Array }> {
    while (this.chunks.length === 0 && !this.hasEnded) await this.change();
    const value = this.chunks.shift();
    return value ? { done: false, value } : { done: true };
  }

  private async cancel(): Promise<void> {
    const ended = async () => {
      while (!this.hasEnded) await this.change();
    };
    await this.within(maxBodyMs, ended).catch(() => this.closeConnection());
  }

  private change(): Promise<void> {
    return new Promise((resolve) => {
      const before = this.onChange;
      this.onChange = () => {
        before();
        resolve();
      };
    });
  }
}

/** Connections to one endpoint. The deliveries in flight have a bound of their own. */
const maxConnections = 64;

/** Creates a fetch for test sessions that keeps its connections open, sends to any address, and follows no redirect. */
export function createPooledFetch(clock: Clock): WebhookFetch {
  const agent = new Agent({ connections: maxConnections, connect: { lookup: checkedLookup(() => true) } });
  const within = createDeadlines(clock);
  return (url, request) =>
    new Promise((resolve, reject) => {
      let body: ResponseBody | undefined;
      dispatchRequest(agent, url, request, {
        onStart(status, _headers, close) {
          body = new ResponseBody(within, () => close(new Error('the body is too long or too slow')));
          resolve({ status, body });
        },
        onData: (chunk) => body?.push(chunk),
        onEnd: () => body?.end(),
        onError(fault) {
          reject(fault);
          body?.end();
        },
      });
    });
}

/** Creates a fetch to public addresses over https only. Each request resolves and checks its name again, on a new connection. */
export function createPublicFetch(resolve?: NameLookup): WebhookFetch {
  const dispatcher = new Agent({
    pipelining: 0,
    connect: { lookup: checkedLookup(isPublicAddress, resolve) },
  });
  return async (url, request) => {
    // A host that is an IP address is never looked up.
    if (!mayBePublic(new URL(url))) throw new AddressRejectedError('the URL has no public address');
    return fetch(url, { ...request, dispatcher });
  };
}
