import { checkBooked, measureCollections, type Servers, startServers } from '../collection/measure.ts';
import { type Figures, nothing, perCollection, type SpentByServer, summarize } from './compare.ts';

type Engines = {
  file: string;
  url: string;
  rounds: number;
  collections: number;
  connections: number;
  spent: SpentByServer;
};

/** Rounds before those that count: the engine of the gateway compiles what it runs often. */
const warmUp = 2;

/**
 * Completes collections as `bench:collection` does, on a file and on a server, one after another in each round: five turns, quote,
 * create, initiate, webhook, confirming poll, postings and block.
 */
export async function compareCollections({ file, url, rounds, collections, connections, spent }: Engines) {
  const sides = [
    { name: 'file', database: file, spent: nothing, figures: [] as Figures[] },
    { name: 'postgres', database: url, spent, figures: [] as Figures[] },
  ];
  const running: Servers[] = [];
  try {
    for (const { database } of sides) running.push(await startServers(database));
    for (let round = 0; round < warmUp + rounds; round++)
      for (const [at, side] of sides.entries()) {
        const before = await side.spent();
        const measured = await measureCollections(running[at] as Servers, { collections, connections });
        side.figures.push({ ...measured, ...perCollection(before, await side.spent(), collections) });
      }
  } finally {
    await Promise.all(running.map((servers) => servers.stop()));
  }
  for (const { database } of sides) await checkBooked(database, (warmUp + rounds) * collections);
  const files = sides[0]?.figures.slice(warmUp) ?? [];
  return sides.map(({ name, figures }) => summarize(name, figures.slice(warmUp), files));
}
