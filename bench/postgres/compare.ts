import { median } from '../kit/median.ts';

/** What a database server has spent so far: processor time in milliseconds, and bytes of its log. */
export type Spent = { databaseCpuMs: number; logBytes: number };

export type SpentByServer = () => Promise<Spent>;

/** A file has no server. */
export const nothing: SpentByServer = async () => ({ databaseCpuMs: 0, logBytes: 0 });

/** What a collection costs: the processor time of the gateway, and what the server spends. */
export type Figures = Spent & { perSecond: number; cpuMs: number };

/** Returns what a server has spent for one of `count` collections. */
export function perCollection(before: Spent, after: Spent, count: number): Spent {
  return {
    databaseCpuMs: (after.databaseCpuMs - before.databaseCpuMs) / count,
    logBytes: (after.logBytes - before.logBytes) / count,
  };
}

/** Returns the medians of the rounds, and of their ratios to those of a file. */
export function summarize(name: string, figures: readonly Figures[], files: readonly Figures[]) {
  const of = (pick: (one: Figures, at: number) => number) => median(figures.map(pick));
  return {
    name,
    perSecond: of((one) => one.perSecond),
    ofFile: of((one, at) => one.perSecond / (files[at]?.perSecond ?? Number.NaN)),
    cpuMs: of((one) => one.cpuMs),
    databaseCpuMs: of((one) => one.databaseCpuMs),
    logBytes: of((one) => one.logBytes),
  };
}
