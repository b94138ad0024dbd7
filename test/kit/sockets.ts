import type { Gateway } from '../../src/gateway/create.ts';
import type { Service } from '../../src/service/create.ts';
import type { Served } from '../../src/shared/http/server.ts';
import { gatewayUrl, serviceUrl } from '../../src/testing/programs.ts';
import { serve } from './local-server.ts';

/**
 * Joins the programs of a till over real HTTP. The clock stands while an exchange is in flight, so that no answer is late by
 * accident; an exchange ends when its whole body has arrived.
 */
export function createSockets() {
  const inFlight = new Set<Promise<unknown>>();
  let reach: (ports: Record<string, string>) => void = () => {};
  const reached = new Promise<Record<string, string>>((resolve) => {
    reach = resolve;
  });

  async function exchange(url: string, init?: RequestInit): Promise<Response> {
    const { origin, pathname, search } = new URL(url);
    const answer = await fetch(`${(await reached)[origin]}${pathname}${search}`, init);
    const body = await answer.arrayBuffer();
    const { status, headers } = answer;
    return new Response(body.byteLength === 0 ? null : body, { status, headers });
  }

  return {
    busy: () => (inFlight.size > 0 ? Promise.race(inFlight) : undefined),
    /** Sends a request to the port of the program that the URL names. */
    fetch(url: string, init?: RequestInit): Promise<Response> {
      const exchanged = exchange(url, init);
      const ended = exchanged.then(
        () => {},
        () => {},
      );
      inFlight.add(ended);
      void ended.then(() => inFlight.delete(ended));
      return exchanged;
    },
    /** Serves both programs until the test ends. */
    async open({ gateway, service }: { gateway(): Gateway; service: Service }): Promise<void> {
      const current: Served = { fetch: (request, bindings) => gateway().app.fetch(request, bindings) };
      reach({ [gatewayUrl]: (await serve(current)).url, [serviceUrl]: (await serve(service.app)).url });
    },
  };
}
