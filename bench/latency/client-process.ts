import { Pool } from 'undici';
import { newPayment, startPayersAt } from '../collection/measure.ts';
import { callbackPath, tills } from '../collection/tills.ts';
import { reportStarted } from '../kit/child-server.ts';
import { median, quantile } from '../kit/median.ts';

/*
 * The client of the latency benchmark, in a process of its own: it sends turns at a fixed rate, whether or not earlier ones
 * are answered, and counts the time from the moment at which a turn was due. A server that stops answering for a second
 * therefore makes a second's worth of turns late, as it does for payers.
 */

export type LatencyRequest = { url: string; perSecond: number; seconds: number };
export type Latency = { turns: number; perSecond: number; p50Ms: number; p99Ms: number; maxMs: number };

/** The turns of each dialogue: all except the one that pays. */
const turnsOfDialogue = 4;
/** Time between two turns of a dialogue. */
const thinkMs = 1_000;
const connections = 64;
/** Turns of this time before the measurement are not counted: the client opens its connections, and begins all its dialogues. */
const warmUpSeconds = 1;

type Dialogue = { path: string; requests: ReturnType<typeof newPayment>; answered: Promise<unknown> };

function newDialogue(number: number, turns = turnsOfDialogue): Dialogue {
  const till = tills[number % tills.length];
  if (!till) throw new Error('no till');
  const requests = newPayment(till.channel).slice(0, turns);
  return { path: callbackPath(till), requests, answered: Promise.resolve() };
}

async function send(pool: Pool, { path, requests, answered }: Dialogue): Promise<void> {
  const request = requests.shift();
  if (!request) return;
  await answered;
  const { method, contentType, body } = request;
  const answer = await pool.request({ path, method, headers: { 'content-type': contentType }, body });
  const screen = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`a turn was answered with ${answer.statusCode}: ${screen}`);
  // Without the service there is no quote, and the dialogue ends.
  if (screen.startsWith('END ')) requests.length = 0;
}

async function measure({ url, perSecond, seconds }: LatencyRequest): Promise<Latency> {
  const pool = new Pool(url, { connections, pipelining: 1 });
  const size = Math.max(1, Math.round((perSecond * thinkMs) / 1_000));
  // The first dialogues end after one to four turns, so that later ones are not in step: payers do not dial at the same time.
  const dialogues = Array.from({ length: size }, (_, number) =>
    newDialogue(number, 1 + (number % turnsOfDialogue)),
  );
  const uncounted = Math.round(perSecond * warmUpSeconds);
  const total = uncounted + Math.round(perSecond * seconds);
  const times: number[] = [];
  const sent: Promise<void>[] = [];
  const startedAt = performance.now();
  const dueAt = (turn: number) => startedAt + (1_000 * turn) / perSecond;
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      while (sent.length < total && dueAt(sent.length) <= performance.now()) {
        const turn = sent.length;
        const slot = turn % size;
        const known = dialogues[slot];
        const dialogue = known && known.requests.length > 0 ? known : newDialogue(turn);
        dialogues[slot] = dialogue;
        const answered = send(pool, dialogue).then(() => {
          if (turn >= uncounted) times.push(performance.now() - dueAt(turn));
        });
        dialogue.answered = answered;
        sent.push(answered);
      }
      if (sent.length < total) return;
      clearInterval(timer);
      resolve();
    }, 1);
  });
  await Promise.all(sent);
  const lasted = (performance.now() - startedAt) / 1_000;
  await pool.close();
  return {
    turns: times.length,
    perSecond: total / lasted,
    p50Ms: median(times),
    p99Ms: quantile(times, 0.99),
    maxMs: Math.max(...times),
  };
}

startPayersAt(5_000_000);
reportStarted({}, (message) => measure(message as LatencyRequest));
