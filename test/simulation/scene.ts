import { createHash } from 'node:crypto';
import type Database from 'better-sqlite3';
import { auditCollection } from '../../src/gateway/collection/audit.ts';
import type { Config } from '../../src/gateway/config/schema.ts';
import { ledgerStore } from '../../src/gateway/ledger/ledger-store.ts';
import { verifyLedger } from '../../src/gateway/ledger/verify.ts';
import { messageOf } from '../../src/shared/errors.ts';
import type { Msisdn } from '../../src/shared/msisdn.ts';
import { createSqliteReader } from '../../src/sqlite/sqlite.ts';
import { type Chance, chanceOf } from './chance.ts';
import type { Feature } from './features.ts';
import { type History, openHistory } from './history.ts';
import { openPayer, type Payer, type PayerDeps } from './payer.ts';
import { scanLine } from './scan.ts';
import { openWorld, type World } from './world.ts';

/** What one seed stands for. A smaller plan of the same seed has people and places in common with it, and no more. */
export type Plan = {
  seed: number;
  hours: number;
  features: readonly Feature[];
  payers: number;
  /** Dials that payers begin with; redials come on top. */
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

export const second = 1000;
export const minute = 60 * second;
export const hour = 60 * minute;

/** When every history begins. */
export const start = Date.parse('2026-03-06T06:00:00Z');

/** How long the liveness phase may take: longer than the widest gap between two polls, a day and a tenth. */
export const settleHours = 28;

const numbers = [
  '233244000101',
  '233201000202',
  '233271000303',
  '233544000404',
  '233501000505',
  '233241000606',
] as const as unknown as readonly [Msisdn, ...Msisdn[]];

export const maxPayers = numbers.length;

/** Ends a run at the first invariant that breaks: what comes after it proves nothing. */
class Broken extends Error {}

/** What every part of a simulated world shares: its time, its chance, and what is told of it. */
export type Scene = {
  plan: Plan;
  world: World;
  chance: Chance;
  history: History;
  has(feature: Feature): boolean;
  /** Counts something; what befalls a machine is counted by the machine. */
  count(what: string, by?: number): void;
  violate(rule: string, what: string): void;
  /** Looks at a line of a log for what it must not hold (I11). */
  onLog(line: string): void;
  /** Ends the run once an invariant is broken. */
  stopIfBroken(): void;
  /** Runs `work`; whatever it throws is a violation, unless it was told of as one. */
  play(work: () => Promise<void>): Promise<void>;
  outcome(): Outcome;
};

/** @param name what the run is called: the same seed under another name is another history. */
export function openScene(name: string, plan: Plan): Scene {
  const world = openWorld(start);
  const history = openHistory(world.now, start);
  const violations: Violation[] = [];
  const counts: Record<string, number> = {};
  const on = new Set(plan.features);
  const scene: Scene = {
    plan,
    world,
    history,
    chance: chanceOf(`${name} ${plan.seed}`),
    has: (feature) => on.has(feature),
    count(what, by = 1) {
      counts[what] = (counts[what] ?? 0) + by;
    },
    violate(rule, what) {
      violations.push({ rule, what, at: world.now() - start });
      history.tell('VIOLATED', `${rule}: ${what}`);
    },
    onLog(line) {
      const found = scanLine(line);
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
      counts: { ...counts, hours: Math.round((world.now() - start) / hour) },
    }),
  };
  return scene;
}

/** Those who dial, and when: spread over the hours with faults. */
export function openPeople(
  { plan, world, chance, has, count }: Scene,
  config: Config,
  around: Pick<PayerDeps, 'aggregator' | 'oracle' | 'passPayer' | 'onAnnounced'>,
): { payers: readonly Payer[]; begin(): void } {
  const [first = 'africastalking', ...rest] = config.channels.map(({ id }) => id);
  const [one, ...others] = numbers;
  const own: PayerDeps['numbers'] = [one, ...others.slice(0, plan.payers - 1)];
  const references: string[] = [];
  const channels: PayerDeps['channels'] = [first, ...rest];
  const deps = { world, chance, has, count, ...around, channels, references, numbers: own };
  const payers = own.map((msisdn) => openPayer(msisdn, deps));
  return {
    payers,
    begin() {
      const people = chance.fork('people');
      for (let visit = 0; visit < plan.visits; visit++) {
        const who = people.pick(payers as [Payer, ...Payer[]]);
        world.after(people.int(0, plan.hours * hour), () => void who.visit());
      }
      const crowds = chance.fork('rushes');
      for (let rushes = has('rushes') ? crowds.int(1, 3) : 0; rushes > 0; rushes--) {
        count('fault rushes');
        const at = crowds.int(0, plan.hours * hour);
        for (const who of [...payers, ...payers]) {
          world.after(at + crowds.int(0, 10 * second), () => void who.visit());
        }
      }
    },
  };
}

/** Support staff, or an auditor, read the books, also while the gateway writes them. */
export async function readBooks({ history, violate }: Scene, file: string, who: string): Promise<void> {
  const reader = createSqliteReader(file);
  try {
    const report = await verifyLedger(ledgerStore(reader), auditCollection);
    history.tell(who, `the ledger is ${report.ok ? 'whole' : 'broken'}`);
    for (const fault of report.faults) violate('I3', `the ledger does not verify: ${JSON.stringify(fault)}`);
  } catch (fault) {
    violate('I3', `the ledger cannot be read: ${messageOf(fault)}`);
  } finally {
    await reader.close();
  }
}

/** Work that the gateway has left: open collections, and events that wait. */
export function workLeft(file: Database.Database | undefined): number {
  const work = file
    ?.prepare(
      `SELECT (SELECT count(*) FROM collection WHERE next_at IS NOT NULL)
         + (SELECT count(*) FROM inbox WHERE state = 'waiting') AS n`,
    )
    .get() as { n: number } | undefined;
  return work?.n ?? 1;
}

/** The hash of every row of every table but SQLite's own: equal histories leave equal files. */
function hashOf(file: Database.Database): string {
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

/** Counts what became of every collection, and of the sessions of the one who pushed them; tells what the file holds. */
export function tally(
  { count, history }: Scene,
  file: Database.Database,
  sessions: Iterable<{ prompts: readonly unknown[]; charges: number }>,
): void {
  const rows = file.prepare('SELECT status, count(*) AS n FROM collection GROUP BY status').all();
  for (const { status, n } of rows as { status: string; n: number }[]) count(`collection ${status}`, n);
  history.tell('file', `holds ${hashOf(file)}`);
  for (const { prompts, charges } of sessions) {
    count('prompts', prompts.length);
    count('charges', charges);
  }
}
