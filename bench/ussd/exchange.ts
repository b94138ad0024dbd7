import { Pool } from 'undici';
import type { WireRequest } from '../../src/aggregators/simulated-aggregator.ts';
import type { Answer, Dialogue } from './dialogue.ts';
import type { Server } from './start-server.ts';

/** `cpuMs`: the processor time of all servers for one turn. */
export type Figures = { turns: number; perSecond: number; p50Ms: number; p99Ms: number; cpuMs: number };

/** What one measurement sends: the dialogues, in order, over persistent connections. */
export type Load = {
  path: string;
  dialogues: readonly Dialogue[];
  connections: number;
  /** No dialogue starts later than this, so that a slow machine needs about the same time for fewer dialogues. */
  maxMs: number;
  /** Returns the server that gets a turn of a dialogue, all counted from 0. Without it, the first one gets all. */
  serverOf?: (dialogue: number, turn: number) => number;
};

const maxAnswerMs = 10_000;

/** Sends dialogues, one after another on each connection, and passes each finished one to `done` after the measurement. */
export async function exchange(
  servers: readonly Server[],
  { path, dialogues, connections, maxMs, serverOf = () => 0 }: Load,
  done: (dialogue: Dialogue, answers: readonly Answer[]) => void = () => {},
): Promise<Figures> {
  const timeouts = { headersTimeout: maxAnswerMs, bodyTimeout: maxAnswerMs };
  const pools = servers.map(({ url }) => new Pool(url, { connections, pipelining: 1, ...timeouts }));
  const times: number[] = [];
  const ask = async ({ method, to, contentType, body }: WireRequest, server: number): Promise<Answer> => {
    const pool = pools[server];
    if (!pool) throw new Error(`no server ${server} of ${pools.length}`);
    const before = performance.now();
    const answer = await pool.request({
      path: `${path}${to}`,
      method,
      ...(method === 'GET' ? {} : { headers: { 'content-type': contentType }, body }),
    });
    const text = await answer.body.text();
    times.push(performance.now() - before);
    if (answer.statusCode !== 200) throw new Error(`${path}: HTTP ${answer.statusCode}`);
    return { contentType: String(answer.headers['content-type']), body: text };
  };
  const finished: [Dialogue, Answer[]][] = [];
  let next = 0;
  const readCpuMs = async () => {
    const usages = await Promise.all(servers.map((server) => server.usage()));
    return usages.reduce((sum, { cpuMs }) => sum + cpuMs, 0);
  };
  const cpuMs = await readCpuMs();
  const startedAt = performance.now();
  const phone = async () => {
    while (performance.now() - startedAt < maxMs) {
      const place = next++;
      const dialogue = dialogues[place];
      if (!dialogue) return;
      const answers: Answer[] = [];
      for (const [turn, request] of dialogue.requests.entries())
        answers.push(await ask(request, serverOf(place, turn)));
      finished.push([dialogue, answers]);
    }
  };
  await Promise.all(Array.from({ length: connections }, phone));
  const seconds = (performance.now() - startedAt) / 1000;
  const turns = times.length;
  const spentMs = (await readCpuMs()) - cpuMs;
  await Promise.all(pools.map((pool) => pool.close()));
  for (const [dialogue, answers] of finished) done(dialogue, answers);
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(turns * share)] ?? 0;
  return { turns, perSecond: turns / seconds, p50Ms: at(0.5), p99Ms: at(0.99), cpuMs: spentMs / turns };
}
