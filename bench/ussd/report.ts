import type { Figures } from './exchange.ts';

/** The figures of one round: a lane, and the bare server and the floor just before. */
export type Round = { own: Figures; bare: Figures; floor: Figures };

/** The medians of a lane over all rounds. Ratios are medians of each round's ratio. */
export type LaneFigures = Omit<Figures, 'turns'> & {
  name: string;
  floorCpuMs: number;
  bareCpuMs: number;
  /** Processor time of a turn per processor time of a turn of the floor. */
  cpuOfFloor: number;
  /** Turns per second, as a share of those of the floor and of the bare server. */
  rateOfFloor: number;
  rateOfBare: number;
  /** Turns per second per those of ussd-menu-builder. Absent for its own lanes. */
  rateOfPeer?: number;
  /** Whether the peer speaks this dialect. Otherwise, the ratio is to its lane of Africa's Talking. */
  isSameDialect?: boolean;
};

function median(all: readonly number[]): number {
  return all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0;
}

/** Summarises the rounds of a lane. */
export function summarize(
  name: string,
  rounds: readonly Round[],
  peer?: { rounds: readonly Round[]; isSameDialect: boolean },
): LaneFigures {
  const of = (figure: (round: Round, at: number) => number) => median(rounds.map(figure));
  return {
    name,
    perSecond: of(({ own }) => own.perSecond),
    p50Ms: of(({ own }) => own.p50Ms),
    p99Ms: of(({ own }) => own.p99Ms),
    cpuMs: of(({ own }) => own.cpuMs),
    floorCpuMs: of(({ floor }) => floor.cpuMs),
    bareCpuMs: of(({ bare }) => bare.cpuMs),
    cpuOfFloor: of(({ own, floor }) => own.cpuMs / floor.cpuMs),
    rateOfFloor: of(({ own, floor }) => own.perSecond / floor.perSecond),
    rateOfBare: of(({ own, bare }) => own.perSecond / bare.perSecond),
    ...(peer && {
      rateOfPeer: of(({ own }, at) => own.perSecond / (peer.rounds[at]?.own.perSecond ?? Number.NaN)),
      isSameDialect: peer.isSameDialect,
    }),
  };
}

const widths = [22, 9, 8, 8, 8, 11, 12, 11, 10, 9];
const row = (cells: readonly string[]) =>
  cells
    .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
    .join('');
const microseconds = (ms: number) => (1000 * ms).toFixed(0);

export const header = row([
  '',
  'turns/s',
  'p50 ms',
  'p99 ms',
  'cpu us',
  'floor us',
  'x floor cpu',
  'of floor',
  'of bare',
  'x peer',
]);

export function lineOf(lane: LaneFigures): string {
  const { rateOfPeer } = lane;
  return row([
    lane.name,
    Math.round(lane.perSecond).toLocaleString('en'),
    lane.p50Ms.toFixed(2),
    lane.p99Ms.toFixed(2),
    microseconds(lane.cpuMs),
    microseconds(lane.floorCpuMs),
    lane.cpuOfFloor.toFixed(2),
    `${(100 * lane.rateOfFloor).toFixed(0)} %`,
    `${(100 * lane.rateOfBare).toFixed(0)} %`,
    rateOfPeer === undefined ? '' : `${lane.isSameDialect ? '' : '~'}${rateOfPeer.toFixed(2)}`,
  ]);
}

/** Explains the columns. */
export const legend = `
bare   node:http, the same requests, one fixed screen, nothing stored
floor  node:http, a form, three prepared reads, JSON state, one inserted row, group commit with synchronous=FULL
peer   ussd-menu-builder on express, the same menu in memory; ~ compares with its Africa's Talking dialect
cpu    the server's processor time for one turn; x floor: per that of the floor in the same round
of, x  the median of each round's ratio`;
