import { Pool } from 'undici';
import { newPayment, type Server, startServers } from '../collection/measure.ts';
import { callbackPath, tills } from '../collection/tills.ts';
import { median } from '../kit/median.ts';

/** Dialogues of one round that measures turns, and the turns of each: all except the one that pays. */
const dialoguesOfRound = 400;
const turnsOfDialogue = 4;
const connections = 16;

/** Sends the first turns of new dialogues, which stay open. Returns the gateway's processor time for one turn. */
export async function openDialogues(server: Server, size: number, turns: number): Promise<number> {
  const pool = new Pool(server.started.url, { connections, pipelining: 1 });
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
  const before = await server.usage();
  await Promise.all(Array.from({ length: connections }, phone));
  const after = await server.usage();
  await pool.close();
  return (after.cpuMs - before.cpuMs) / (size * turns);
}

/** Measures gateways on a large and on a small ledger. Times are milliseconds. */
export async function measureGateways(
  databases: { large: string; small: string },
  { dialogues, runs }: { dialogues: number; runs: number },
) {
  const large = await startServers(databases.large, { logLevel: 'silent' });
  const small = await startServers(databases.small, { logLevel: 'silent' });
  try {
    const ratios: number[] = [];
    await openDialogues(large.gateway, dialoguesOfRound, turnsOfDialogue);
    await openDialogues(small.gateway, dialoguesOfRound, turnsOfDialogue);
    for (let run = 0; run < runs; run++) {
      const ofLarge = await openDialogues(large.gateway, dialoguesOfRound, turnsOfDialogue);
      ratios.push(ofLarge / (await openDialogues(small.gateway, dialoguesOfRound, turnsOfDialogue)));
    }
    await openDialogues(large.gateway, dialogues, 1);
    const { residentBytes } = await large.gateway.usage();
    return {
      startMs: large.gateway.started.startMs,
      turnCpuOfSmall: median(ratios),
      openDialogues: dialogues,
      residentBytes,
    };
  } finally {
    await Promise.all([large.stop(), small.stop()]);
  }
}
