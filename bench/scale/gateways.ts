import { Pool } from 'undici';
import { newPayment, type Server, startServers } from '../collection/measure.ts';
import { callbackPath, tills } from '../collection/tills.ts';
import { median } from '../kit/median.ts';

/** Dialogues of one round that measures turns, and the turns of each: all except the one that pays. */
const dialoguesOfRound = 400;
const turnsOfDialogue = 4;
const connections = 16;

/** Sends the first turns of new dialogues, which stay open. */
export async function openDialogues({ url }: { url: string }, size: number, turns: number): Promise<void> {
  const pool = new Pool(url, { connections, pipelining: 1 });
  let next = 0;
  const phone = async () => {
    while (next < size) {
      const till = tills[next++ % tills.length];
      if (!till) return;
      for (const { method, contentType, body } of newPayment(till.channel).slice(0, turns)) {
        const path = callbackPath(till);
        const answer = await pool.request({ path, method, headers: { 'content-type': contentType }, body });
        const screen = await answer.body.text();
        if (!screen.startsWith('CON ')) throw new Error(`a dialogue ended with the screen: ${screen}`);
      }
    }
  };
  await Promise.all(Array.from({ length: connections }, phone));
  await pool.close();
}

/** Returns the gateway's processor time for one turn of a round, in milliseconds. */
async function measureRound(server: Server): Promise<number> {
  const before = await server.usage();
  await openDialogues(server.started, dialoguesOfRound, turnsOfDialogue);
  const after = await server.usage();
  return (after.cpuMs - before.cpuMs) / (dialoguesOfRound * turnsOfDialogue);
}

/** Measures gateways on a large and on a small ledger. Times are milliseconds. */
export async function measureGateways(databases: { large: string; small: string }, runs: number) {
  const large = await startServers(databases.large, { logLevel: 'silent' });
  const small = await startServers(databases.small, { logLevel: 'silent' });
  try {
    const ratios: number[] = [];
    await measureRound(large.gateway);
    await measureRound(small.gateway);
    for (let run = 0; run < runs; run++) {
      const ofLarge = await measureRound(large.gateway);
      ratios.push(ofLarge / (await measureRound(small.gateway)));
    }
    return { startMs: large.gateway.started.startMs, turnCpuOfSmall: median(ratios) };
  } finally {
    await Promise.all([large.stop(), small.stop()]);
  }
}
