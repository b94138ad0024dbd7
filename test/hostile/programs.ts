import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../../src/shared/clock.ts';
import { systemIds } from '../../src/shared/ids.ts';
import type { Order, Started, Usage } from './order.ts';

export type ProgramName = 'gateway' | 'service';

/** A program in its own process. */
export type Program = { port: number; url: string; usage(): Promise<Usage>; stop(): Promise<void> };

/** Both programs, and the secrets that hostile requests must not have or that attackers have captured. */
export type Programs = Record<ProgramName, Program> & {
  adminToken: string;
  channelSecret: string;
  webhookSecret: string;
  /** The keys of the gateway's merchant and of another one. */
  key: string;
  strangerKey: string;
};

/** Starts the service and the gateway with test keys, each in its own process, on files in `folder`. */
export async function startPrograms(folder: string): Promise<Programs> {
  const ids = systemIds(systemClock());
  const adminToken = ids.secret();
  const channelSecret = ids.secret();
  const webhookSecret = `whsec_${ids.secret()}`;
  const service = await start({ program: 'service', folder, adminToken });
  const { key = '', strangerKey = '', merchantId = '' } = service.started;
  const gateway = await start({
    ...{ program: 'gateway', folder, serviceUrl: service.url, key },
    ...{ secret: channelSecret, webhookSecret },
  });
  const answer = await fetch(`${service.url}/backoffice/merchants/${merchantId}/webhook`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ livemode: false, url: `${gateway.url}/webhooks/shop`, secret: webhookSecret }),
  });
  if (!answer.ok) throw new Error(`the webhook was not set: ${await answer.text()}`);
  return { gateway, service, adminToken, channelSecret, webhookSecret, key, strangerKey };
}

/** The heap limit of the image and of the unit file. Without one, V8 lets the heap grow before it collects. */
const heapLimit = '--max-old-space-size=256';

async function start(order: Order): Promise<Program & { started: Started }> {
  const file = fileURLToPath(new URL('child-program.ts', import.meta.url));
  const child = fork(file, {
    execArgv: ['--import', 'tsx', heapLimit],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const started = await ask<Started>(child, order);
  return {
    started,
    url: started.url,
    port: Number(new URL(started.url).port),
    usage: () => ask<Usage>(child, {}),
    async stop() {
      const ended = once(child, 'exit');
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}

/** Sends a message and returns the reply. @throws Error when the process ends first. */
async function ask<Reply>(child: ChildProcess, message: object): Promise<Reply> {
  const waiting = new AbortController();
  const { signal } = waiting;
  const ended = once(child, 'exit', { signal }).then(([code]) => {
    throw new Error(`a program ended with ${code}`);
  });
  ended.catch(() => {});
  child.send(message);
  try {
    const [reply] = await Promise.race([once(child, 'message', { signal }), ended]);
    return reply as Reply;
  } finally {
    waiting.abort();
  }
}
