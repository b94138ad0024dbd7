import {
  type CollectionRound,
  checkBooked,
  measureCollections,
  type Servers,
  startServers,
} from '../collection/measure.ts';
import { summarize } from './openings.ts';

type Engines = {
  file: string;
  url: string;
  rounds: number;
  collections: number;
  connections: number;
  /** Returns the processor time of the database server so far, in milliseconds. */
  cpuMsOfDatabase(): number;
};

/** What a completed collection costs. */
type Figures = CollectionRound & { databaseCpuMs: number };

/** Rounds before those that count: the engine of the gateway compiles what it runs often. */
const warmUp = 2;

/**
 * Completes collections as `bench:collection` does, on a file and on a server, one after another in each round: five turns, quote,
 * create, initiate, webhook, confirming poll, postings and block.
 */
export async function compareCollections(engines: Engines) {
  const { file, url, rounds, collections, connections, cpuMsOfDatabase } = engines;
  const sides = [
    { name: 'file', database: file, spent: () => 0, figures: [] as Figures[] },
    { name: 'postgres', database: url, spent: cpuMsOfDatabase, figures: [] as Figures[] },
  ];
  const running: Servers[] = [];
  try {
    for (const { database } of sides) running.push(await startServers(database));
    for (let round = 0; round < warmUp + rounds; round++)
      for (const [at, { spent, figures }] of sides.entries()) {
        const before = spent();
        const measured = await measureCollections(running[at] as Servers, { collections, connections });
        figures.push({ ...measured, databaseCpuMs: (spent() - before) / collections });
      }
  } finally {
    await Promise.all(running.map((servers) => servers.stop()));
  }
  for (const { database } of sides) await checkBooked(database, (warmUp + rounds) * collections);
  const files = sides[0]?.figures.slice(warmUp) ?? [];
  return sides.map(({ name, figures }) => summarize(name, figures.slice(warmUp), files));
}
