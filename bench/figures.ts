/** One figure of the table. Times are milliseconds, `memory` and `disk` are bytes. */
export type Figure = {
  /** The number of the target, such as `F0`. */
  id: string;
  what: string;
  /** What was measured, in `unit`. */
  value: number;
  unit: 'x' | '/s' | 'ms' | 'rows/s' | 'MB' | 'bytes';
  target: number;
  /** Whether less or more is better. */
  better: 'less' | 'more';
  /** The floor or the peer of the same run that a ratio refers to. */
  beside?: string;
  /** Whether `bench:check` compares the value: ratios and sizes hold on any machine, times do not. */
  isCompared: boolean;
  cpuMs?: number | undefined;
  p50Ms?: number | undefined;
  p99Ms?: number | undefined;
};

export type Turns = {
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  cpuMs: number;
  cpuOfFloor: number;
  rateOfPeer?: number;
};
export type Collections = {
  collection: {
    cpuMs: number;
    cpuOfBare: number;
    turnP50Ms: number;
    turnP99Ms: number;
    bytesOnDisk: number;
  };
  webhook: { cpuMs: number; cpuOfBare: number; rateOfBare: number; p50Ms: number; p99Ms: number };
};
export type Sessions = {
  perSecond: number;
  cpuMs: number;
  cpuOfBare: number;
  rateOfBare: number;
  calls: readonly { name: string; p50Ms: number; p99Ms: number }[];
};
export type Scale = {
  collections: number;
  openDialogues: number;
  /** Later runs of the commands: each opens the ledger and runs its queries. */
  supportP99Ms: number;
  balancesMs: number;
  verifyRowsPerSecond: number;
  startMs: number;
  turnCpuOfSmall: number;
  residentBytes: number;
};

/** The latency of turns in each state, at `perSecond`. */
export type TurnLatency = {
  perSecond: number;
  states: readonly { state: string; p50Ms: number; p99Ms: number; p99OfAlone: number }[];
};

/** The output of each benchmark. */
export type Outputs = {
  turns: Turns;
  collections: Collections;
  latency: TurnLatency;
  sessions: Sessions;
  scale: Scale;
};

const megabyte = 1_000_000;

const ratio = { unit: 'x', isCompared: true } as const;

/** Returns the figures of one benchmark. The order of the functions is that of the table. */
export const figuresOf: { [Name in keyof Outputs]: (output: Outputs[Name]) => Figure[] } = {
  turns({ cpuOfFloor, rateOfPeer, cpuMs, p50Ms, p99Ms }) {
    return [
      {
        ...{ id: 'F0', what: 'CPU of a durable turn', value: cpuOfFloor, target: 2.5, better: 'less' },
        ...{ ...ratio, beside: 'the floor', cpuMs, p50Ms, p99Ms },
      },
      {
        ...{ id: 'F1', what: 'turns per second', value: rateOfPeer ?? Number.NaN, target: 2, better: 'more' },
        ...{ ...ratio, beside: 'ussd-menu-builder', cpuMs, p50Ms, p99Ms },
      },
    ];
  },
  collections({ collection, webhook }) {
    const { cpuMs, p50Ms, p99Ms } = webhook;
    return [
      {
        ...{ id: 'F2', what: 'gateway CPU of a completed collection', value: collection.cpuMs, target: 1.2 },
        ...{ unit: 'ms', better: 'less', isCompared: false, cpuMs: collection.cpuMs },
      },
      {
        ...{ id: 'F2', what: 'the same', value: collection.cpuOfBare, target: 40, better: 'less' },
        ...{ ...ratio, beside: 'a bare request', p50Ms: collection.turnP50Ms, p99Ms: collection.turnP99Ms },
      },
      {
        ...{ id: 'F3', what: 'durable webhooks per second', value: webhook.rateOfBare, target: 0.25 },
        ...{ ...ratio, better: 'more', beside: 'bare node:http', cpuMs, p50Ms, p99Ms },
      },
      {
        ...{ id: 'F7', what: 'disk of a completed collection', value: collection.bytesOnDisk, target: 2_500 },
        ...{ unit: 'bytes', better: 'less', isCompared: true },
      },
    ];
  },
  latency: ({ perSecond, states }) =>
    states.map(({ state, p50Ms, p99Ms, p99OfAlone }) =>
      state === 'alone'
        ? {
            ...{
              id: 'F4',
              what: `p99 of a turn, ${Math.round(perSecond)} turns/s`,
              value: p99Ms,
              target: 10,
            },
            ...{ unit: 'ms', better: 'less', isCompared: false, p50Ms, p99Ms },
          }
        : {
            ...{ id: 'F4', what: `the same, ${state}`, value: p99OfAlone, target: 1.1, better: 'less' },
            ...{ unit: 'x', isCompared: false, beside: 'the turns alone', p50Ms, p99Ms },
          },
    ),
  sessions({ perSecond, cpuMs, rateOfBare, calls }) {
    const session = calls.find(({ name }) => name === 'whole session');
    return [
      {
        ...{ id: 'F8', what: 'sessions of the service', value: perSecond, target: 3_000, unit: '/s' },
        ...{ better: 'more', isCompared: false, cpuMs, p50Ms: session?.p50Ms, p99Ms: session?.p99Ms },
      },
      {
        ...{ id: 'F8', what: 'the same', value: rateOfBare, target: 0.28, better: 'more' },
        ...{ ...ratio, beside: 'bare node:http' },
      },
    ];
  },
  scale(scale) {
    const size = `${scale.collections.toLocaleString('en')} collections`;
    return [
      {
        ...{ id: 'F5', what: `support queries, ${size}`, value: scale.supportP99Ms, target: 10 },
        ...{ unit: 'ms', better: 'less', isCompared: false, p99Ms: scale.supportP99Ms },
      },
      {
        ...{ id: 'F5', what: `CPU of a turn, ${size}`, value: scale.turnCpuOfSmall, target: 1.2 },
        ...{ ...ratio, better: 'less', beside: '10,000 collections' },
      },
      {
        ...{ id: 'F5', what: `start, ${size}`, value: scale.startMs, target: 1_000 },
        ...{ unit: 'ms', better: 'less', isCompared: false },
      },
      {
        ...{ id: 'F5', what: `ledger balances, ${size}`, value: scale.balancesMs, target: 100 },
        ...{ unit: 'ms', better: 'less', isCompared: false },
      },
      {
        ...{ id: 'F5', what: `ledger verify, ${size}`, value: scale.verifyRowsPerSecond, target: 100_000 },
        ...{ unit: 'rows/s', better: 'more', isCompared: false },
      },
      {
        ...{ id: 'F6', what: `resident, ${scale.openDialogues.toLocaleString('en')} open dialogues` },
        ...{
          value: scale.residentBytes / megabyte,
          target: 200,
          unit: 'MB',
          better: 'less',
          isCompared: true,
        },
      },
    ];
  },
};

/** Returns whether a figure reaches its target. */
export const isReached = ({ value, target, better }: Figure): boolean =>
  better === 'less' ? value <= target : value >= target;

/** Returns what was found, in its unit, such as `3.16 x`. */
export const formatFound = ({ value, unit }: Figure): string => `${formatNumber(value)} ${unit}`;

/** Returns the target with its comparison, such as `<= 2.50`. */
export const formatTarget = ({ better, target }: Figure): string =>
  `${better === 'less' ? '<=' : '>='} ${formatNumber(target)}`;

function formatNumber(value: number): string {
  return value < 100 ? value.toFixed(2) : Math.round(value).toLocaleString('en');
}

/** Returns a sentence for each figure that misses its target. */
export function describeMissed(figures: readonly Figure[]): string[] {
  const firstWhat = new Map<string, string>();
  return figures.flatMap((figure) => {
    const { id, what, beside, better } = figure;
    const subject = what.replace(/^the same/, firstWhat.get(id) ?? what);
    if (!firstWhat.has(id)) firstWhat.set(id, what);
    if (isReached(figure)) return [];
    const ofWhat = beside === undefined ? '' : ` beside ${beside}`;
    const bound = better === 'less' ? 'at most' : 'at least';
    return [
      `${id}: ${subject}: ${formatFound(figure)}${ofWhat}; the target is ${bound} ${formatNumber(figure.target)}.`,
    ];
  });
}

/** The largest change for the worse that counts as noise. */
const maxRegression = 0.25;

/** Returns a line for each compared figure that is more than 25 % worse than the committed one, or that is missing. */
export function regressions(committed: readonly Figure[], found: readonly Figure[]): string[] {
  const nameOf = ({ id, unit, beside }: Figure) => `${id} ${unit} ${beside ?? ''}`.trim();
  return committed
    .filter(({ isCompared }) => isCompared)
    .flatMap((before) => {
      const after = found.find((one) => nameOf(one) === nameOf(before));
      if (!after) return [`${nameOf(before)}: not measured`];
      const worse = before.better === 'less' ? after.value / before.value : before.value / after.value;
      if (worse <= 1 + maxRegression) return [];
      const percent = Math.round(100 * (worse - 1));
      return [
        `${nameOf(before)}: ${before.value.toFixed(2)} before, ${after.value.toFixed(2)} now (${percent} % worse)`,
      ];
    });
}
