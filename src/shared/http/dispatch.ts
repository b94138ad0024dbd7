import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';

/** A request over a pool of connections. It follows no redirect. */
export type PooledRequest = {
  method: string;
  headers: Record<string, string>;
  body?: string;
  signal: AbortSignal;
};

/** Receives a response as it arrives. `close` ends it, and its connection. */
export type ResponseReceiver = {
  onStart(status: number, headers: IncomingHttpHeaders, close: (reason: Error) => void): void;
  onData(chunk: Buffer): void;
  onEnd(): void;
  /** The request or the response failed, or `signal` aborted. Can be called more than once. */
  onError(fault: Error): void;
};

/** Sends a request with undici's handlers: the streams and listeners of `fetch` and `request` cost more than the rest of a short call. */
export function dispatchRequest(
  agent: Dispatcher,
  url: string,
  { method, headers, body, signal }: PooledRequest,
  receiver: ResponseReceiver,
): void {
  const { origin, pathname, search } = new URL(url);
  let close = (_: Error) => {};
  const onAbort = () => {
    const reason = signal.reason instanceof Error ? signal.reason : new Error('aborted');
    receiver.onError(reason);
    close(reason);
  };
  if (signal.aborted) {
    onAbort();
    return;
  }
  signal.addEventListener('abort', onAbort, { once: true });
  const end = () => signal.removeEventListener('abort', onAbort);
  agent.dispatch(
    {
      ...{ origin, path: `${pathname}${search}`, headers, body: body ?? null },
      method: method as Dispatcher.HttpMethod,
    },
    {
      onRequestStart(controller) {
        close = (reason) => controller.abort(reason);
        if (signal.aborted) onAbort();
      },
      onResponseStart(_controller, status, responseHeaders) {
        if (status >= 200) receiver.onStart(status, responseHeaders, close);
      },
      onResponseData: (_controller, chunk) => receiver.onData(chunk),
      onResponseEnd() {
        end();
        receiver.onEnd();
      },
      onResponseError(_controller, fault) {
        end();
        receiver.onError(fault);
      },
    },
  );
}
