import { createHash } from 'node:crypto';
import type { Config } from '../../src/gateway/config/schema.ts';
import { ledgerStore } from '../../src/gateway/ledger/ledger-store.ts';
import { verifyLedger } from '../../src/gateway/ledger/verify.ts';
import { ledgerAudits } from '../../src/gateway/upkeep/ledger-audits.ts';
import { errorMessage } from '../../src/shared/errors.ts';
import type { Msisdn } from '../../src/shared/msisdn.ts';
import type { Database } from '../../src/sqlite/driver.ts';
import { createSqliteReader } from '../../src/sqlite/sqlite.ts';
import { hour, minute, second } from '../kit/clock.ts';
import { createRandom, type Random } from '../kit/random.ts';
import type { Feature } from './features.ts';
import { createHistory, type History } from './history.ts';
import { findSecret } from './log-scan.ts';
import { type Crowd, createPayer, type Payer, type PayerDeps } from './payer.ts';
import { createScheduler, type Scheduler } from './scheduler.ts';

/** The inputs of one run. A smaller plan of the same seed has a subset of the same people and faults. */
export type Plan = {
  seed: number;
  hours: number;
  features: readonly Feature[];
  payers: number;
  /** The number of first dials. Redials are additional. */
  visits: number;
};

export type Violation = { rule: string; what: string; at: number };

export type Outcome = {
  plan: Plan;
  hash: string;
  violations: readonly Violation[];
  history: readonly string[];
  counts: Readonly<Record<string, number>>;
};

export { hour, minute, second };

/** The time at which every history starts. */
export const start = Date.parse('2026-03-06T06:00:00Z');

/** The longest liveness phase: longer than the widest gap between two polls, 1.1 days. */
export const settleHours = 28;

export const numbers = [
  '233244000101',
  '233201000202',
  '233271000303',
  '233544000404',
  '233501000505',
  '233241000606',
] as const as unknown as readonly [Msisdn, ...Msisdn[]];

export const maxPayers = numbers.length;

/** Ends a run at the first violation; later ones prove nothing. */
class Broken extends Error {}

/** What all parts of a simulation share: time, random source, history and violations. */
export type Scene = {
  plan: Plan;
  scheduler: Scheduler;
  random: Random;
  history: History;
  has(feature: Feature): boolean;
  /** Counts an occurrence. */
  count(what: string, by?: number): void;
  violate(rule: string, what: string): void;
  /** Checks that a log line contains no secret (I11). */
  onLog(line: string): void;
  /** Ends the run if an invariant is broken. */
  stopIfBroken(): void;
  /** Runs `work`. An unexpected exception is a violation. */
  play(work: () => Promise<void>): Promise<void>;
  outcome(): Outcome;
};

/** What most parts of a simulation take from the scene. */
export type Part = Pick<Scene, 'scheduler' | 'random' | 'has' | 'count' | 'violate'>;

/**
 * Creates the scene of one run.
 *
 * @param name the same seed under another name is another history.
 */
export function createScene(name: string, plan: Plan): Scene {
  const scheduler = createScheduler(start);
  const history = createHistory(scheduler.now, start);
  const violations: Violation[] = [];
  const counts: Record<string, number> = {};
  const on = new Set(plan.features);
  const scene: Scene = {
    plan,
    scheduler,
    history,
    random: createRandom(`${name} ${plan.seed}`),
    has: (feature) => on.has(feature),
    count(what, by = 1) {
      counts[what] = (counts[what] ?? 0) + by;
    },
    violate(rule, what) {
      violations.push({ rule, what, at: scheduler.now() - start });
      history.record('VIOLATED', `${rule}: ${what}`);
    },
    onLog(line) {
      const found = findSecret(line);
      if (found) scene.violate('I11', `${found} in the log: ${line.trim()}`);
    },
    stopIfBroken() {
      if (violations.length > 0) throw new Broken();
    },
    async play(work) {
      try {
        await work();
      } catch (fault) {
        if (fault instanceof Broken) return;
        scene.violate('crash', `the simulation failed: ${fault instanceof Error ? fault.stack : fault}`);
      }
    },
    outcome: () => ({
      plan,
      violations,
      hash: history.hash(),
      history: history.lines(),
      counts: { ...counts, hours: Math.round((scheduler.now() - start) / hour) },
    }),
  };
  return scene;
}

/** Creates the payers and schedules their dials over the hours with faults. */
export function createPeople(
  scene: Scene,
  config: Config,
  around: Pick<PayerDeps, 'aggregator' | 'oracle' | 'passPayer' | 'onAnnounced'>,
): {
  payers: readonly Payer[];
  begin(): void;
  isVisiting(): boolean;
  /** Lets all payers but one dial one merchant at this moment, and that one dial another merchant a little later. */
  flood(merchants: { flooding: string; other: string }): void;
} {
  const { plan, scheduler, random, has, count } = scene;
  const [first = 'africastalking', ...rest] = config.channels.map(({ id }) => id);
  const [one, ...others] = numbers;
  const own: PayerDeps['numbers'] = [one, ...others.slice(0, plan.payers - 1)];
  const references: string[] = [];
  const channels: PayerDeps['channels'] = [first, ...rest];
  const deps = { ...scene, ...around, channels, references, numbers: own };
  const payers = own.map((msisdn) => createPayer(msisdn, deps));
  let visits = 0;
  async function visit(who: Payer, crowd?: Crowd): Promise<void> {
    visits += 1;
    await (crowd ? who.join(crowd) : who.visit());
    visits -= 1;
  }
  /** Lets crowds dial: each phone twice, at one merchant or at several. */
  function gather(own: Random): void {
    for (let crowds = own.int(2, 6); crowds > 0; crowds--) {
      count('fault crowds');
      const at = own.int(0, plan.hours * hour);
      const crowd: Crowd = {
        plan: own.pick(['pay', 'other']),
        payer: own.pick(numbers),
        channels: own.happens(0.5) ? [own.pick(channels)] : channels,
        paceMs: own.int(4, 8) * second,
      };
      for (const who of [...payers, ...payers])
        scheduler.after(at + own.int(0, 50), () => void visit(who, crowd));
    }
  }

  return {
    payers,
    flood({ flooding, other }) {
      const own = random.fork(`flood at ${scheduler.now()}`);
      const crowdOf = (merchant: string): Crowd => {
        const [channel = first] = config.channels
          .filter((one) => one.merchant === merchant)
          .map(({ id }) => id);
        return { plan: 'pay', payer: one, channels: [channel], paceMs: own.int(4, 6) * second };
      };
      const crowd = crowdOf(flooding);
      const [last, ...flooders] = payers.toReversed();
      for (const who of flooders) scheduler.after(own.int(0, 50), () => void visit(who, crowd));
      if (last) scheduler.after(own.int(2, 30) * second, () => void visit(last, crowdOf(other)));
    },
    /** Whether a payer is in a session, or will redial. */
    isVisiting: () => visits > 0,
    begin() {
      const people = random.fork('people');
      for (let dial = 0; dial < plan.visits; dial++) {
        const who = people.pick(payers as [Payer, ...Payer[]]);
        scheduler.after(people.int(0, plan.hours * hour), () => void visit(who));
      }
      const crowds = random.fork('rushes');
      for (let rushes = has('rushes') ? crowds.int(1, 3) : 0; rushes > 0; rushes--) {
        count('fault rushes');
        const at = crowds.int(0, plan.hours * hour);
        for (const who of [...payers, ...payers]) {
          scheduler.after(at + crowds.int(0, 10 * second), () => void visit(who));
        }
      }
      if (has('crowds')) gather(random.fork('crowds'));
    },
  };
}

/**
 * Verifies the ledger with a second connection, also while the gateway writes.
 *
 * @param who who verifies it, in the history.
 */
export async function verifyBooks(
  { history, violate }: Scene,
  { file, hasTriggers }: { file: string; hasTriggers: boolean },
  who: string,
): Promise<void> {
  const reader = createSqliteReader(file);
  try {
    const report = await verifyLedger(ledgerStore(reader), ledgerAudits);
    const faults = report.faults.filter(({ row }) => hasTriggers || row !== 'schema');
    history.record(who, `the ledger is ${faults.length === 0 ? 'valid' : 'invalid'}`);
    for (const fault of faults) violate('I3', `the ledger is invalid: ${JSON.stringify(fault)}`);
  } catch (fault) {
    violate('I3', `the ledger cannot be read: ${errorMessage(fault)}`);
  } finally {
    await reader.close();
  }
}

/** Returns the number of open collections, waiting events and waiting notifications. */
export function workLeft(file: Database | undefined): number {
  const work = file
    ?.prepare(
      `SELECT (SELECT count(*) FROM job)
         + (SELECT count(*) FROM inbox WHERE state = 'waiting')
         + (SELECT count(*) FROM notification WHERE next_at IS NOT NULL) AS n`,
    )
    .get() as { n: number } | undefined;
  return work?.n ?? 1;
}

/** Returns a hash of every row of every table except SQLite's own. Equal histories leave equal files. */
function hashOf(file: Database): string {
  const hash = createHash('sha256');
  const tables = file
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
    .pluck()
    .all() as string[];
  for (const table of tables) {
    hash.update(`\n${table}`);
    for (const row of file.prepare(`SELECT * FROM "${table}"`).raw().iterate())
      hash.update(`\n${JSON.stringify(row)}`);
  }
  return hash.digest('hex').slice(0, 16);
}

/** Counts collections by status and the prompts and charges of the service, and records the hash of the file. */
export function tally(
  { count, history }: Scene,
  file: Database,
  sessions: Iterable<{ prompts: readonly unknown[]; charges: number }>,
): void {
  const rows = file.prepare('SELECT status, count(*) AS n FROM collection GROUP BY status').all();
  for (const { status, n } of rows as { status: string; n: number }[]) count(`collection ${status}`, n);
  history.record('file', `holds ${hashOf(file)}`);
  for (const { prompts, charges } of sessions) {
    count('prompts', prompts.length);
    count('charges', charges);
  }
}
