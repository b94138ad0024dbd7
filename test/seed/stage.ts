import { createRandom, type Random } from '../kit/random.ts';
import * as dialogues from './dialogues.ts';
import { rejected } from './dialogues.ts';
import { type Act, dayMs, hourMs, type Order, type Scene, weekMs } from './scene.ts';
import { shops, staffNames } from './shops.ts';
import { story } from './story.ts';
import { unplaced, unplacedCollections } from './unplaced.ts';
import { last, type Part, type Planned, plain, special } from './week.ts';

/** The numbers that are blocked. The first one dials again. */
const blocked = { dialler: '0244700999', payer: '0201700888', ended: '0554700777' } as const;

const notes = [
  'the payer called, and asks where the money is',
  'asked the operator of the service about it',
  'the payer sends the message of the wallet',
  'the shop has handed over the goods',
];

/** What support staff do in the week, beside their decisions. */
function work(random: Random): Act[] {
  return [...blocks(), ...onReviews(random)];
}

function blocks(): Act[] {
  const block = (msisdn: string, role: string, reason: string) => (scene: Scene) =>
    scene.staff('ama', '/blocks', { msisdn, role, merchantId: null, reason, until: null });
  return [
    { atMs: 30 * hourMs, run: then(block(blocked.dialler, 'dialler', 'many false requests')) },
    { atMs: 31 * hourMs, run: (scene) => rejected(scene, blocked.dialler, 'africastalking') },
    { atMs: 50 * hourMs, run: then(block(blocked.payer, 'payer', 'asked for it on the phone')) },
    { atMs: 52 * hourMs, run: then(block(blocked.ended, 'dialler', 'mistaken for another number')) },
    {
      atMs: 53 * hourMs,
      run: then((scene) =>
        scene.staff('kofi', '/blocks/remove', {
          ...{ msisdn: blocked.ended, role: 'dialler', merchantId: null, reason: 'a mistake' },
        }),
      ),
    },
  ];
}

/** Notes on reviews, and who has them. */
function onReviews(random: Random): Act[] {
  return Array.from({ length: 10 }, (_, i): Act => {
    const [name, text] = [random.pick(staffNames), random.pick(notes)];
    const to = staffNames[(i / 2) % staffNames.length];
    return {
      atMs: 40 * hourMs + Math.floor(((weekMs - 42 * hourMs) * i) / 10),
      async run(scene) {
        const { data: reviews } = (await scene.staff(name, '/reviews')) as {
          data: { collectionId: string }[];
        };
        const id = reviews[i % Math.max(1, reviews.length)]?.collectionId;
        if (id === undefined) throw new Error('no review');
        await scene.staff(name, `/collections/${id}/notes`, { text });
        if (i % 2 === 0) await scene.staff(name, `/collections/${id}/assign`, { to });
      },
    };
  });
}

const then = (run: (scene: Scene) => Promise<unknown>) => async (scene: Scene) => {
  await run(scene);
};

/** All payments of the seeded ledger. */
export const collections = 300;

/** Longer than the last payments take. */
const lastMs = 240_000;

/** Payments at these times after the start of the week. */
const spans: Readonly<Record<Part, { fromMs: number; toMs: number }>> = {
  start: { fromMs: 0, toMs: 4 * hourMs },
  any: { fromMs: 5 * hourMs, toMs: weekMs - 24 * hourMs },
  lastDay: { fromMs: weekMs - 20 * hourMs, toMs: weekMs - hourMs },
};

/** How much of the week has happened. `day` counts from 1. */
export type Progress = { day: number; days: number; percent: number };

/** Plays the week in the order of time, and reports each act. The clock is then at its end. */
export async function stageWeek(scene: Scene, onProgress: (progress: Progress) => void): Promise<void> {
  const startsAt = scene.clock.now();
  const random = createRandom('7');
  const orders = orderSource(random);
  const acts = [
    ...payments(random, orders),
    ...otherDialogues(random),
    ...work(random),
    ...story,
    ...unplaced,
  ];
  const days = Math.ceil(weekMs / dayMs);
  for (const [i, { atMs, run }] of acts.toSorted((a, b) => a.atMs - b.atMs).entries()) {
    await passTime(scene, startsAt + atMs);
    await run(scene);
    const day = Math.ceil((scene.clock.now() - startsAt) / dayMs);
    onProgress({ day, days, percent: Math.floor((100 * (i + 1)) / acts.length) });
  }
  await passTime(scene, startsAt + weekMs - lastMs);
  for (const one of last.flatMap((planned) => Array.from({ length: planned.count }, () => planned)))
    await one.course(scene, orders(one));
}

/** Passes time in which no payer acts. A step wakes each loop of the programs once, so that a poll is at most one step late. */
async function passTime({ clock }: Scene, until: number): Promise<void> {
  const stepMs = 600_000;
  while (clock.now() < until) await clock.skip(Math.min(stepMs, until - clock.now()));
}

function payments(random: Random, orders: (planned: Planned) => Order): Act[] {
  const rare = special.flatMap((one) => Array.from({ length: one.count }, () => one));
  const lastCount = last.reduce((sum, { count }) => sum + count, 0);
  const rest = Array.from(
    { length: collections - rare.length - lastCount - story.length - unplacedCollections },
    (_, i): Planned => {
      return { ...plain, part: i % 7 === 0 ? 'lastDay' : 'any' };
    },
  );
  return [...rare, ...rest].map((one) => {
    const order = orders(one);
    return { atMs: timeIn(random, one.part), run: (scene) => one.course(scene, order) };
  });
}

function timeIn(random: Random, part: Part): number {
  const { fromMs, toMs } = spans[part];
  return random.int(fromMs, toMs - 1);
}

const prefixes = ['024', '054', '055', '059', '020', '050', '026', '027'];
const regulars = 60;

/** Returns orders. Payments of special courses have payers of their own; the others share the regular customers. */
function orderSource(random: Random): (planned: Planned) => Order {
  let count = 0;
  // Distinct, and no magic number: those end in 9 and two more digits.
  const number = (ending?: string) => {
    const body = String(1_000 + 37 * ++count).slice(-4);
    return `${random.pick(prefixes)}${body}${ending ?? `${random.int(0, 8)}${random.int(0, 9)}${random.int(0, 9)}`}`;
  };
  const regular = Array.from({ length: regulars }, () => number());
  return ({ name, ending }) => {
    const isPlain = name === plain.name || name === 'declined';
    const shop = random.pick(shops);
    const payer = isPlain ? random.pick(regular) : number(ending);
    const isRequest = isPlain && random.happens(0.12);
    const hasBill = !isRequest && random.happens(0.35);
    return {
      ...{ shop, channel: random.pick<string>(shop.channels), payer, dialler: isRequest ? number() : payer },
      amount: random.happens(0.7) ? String(random.int(5, 199)) : `${random.int(5, 99)}.50`,
      ...(hasBill && { bill: `INV-${random.int(2_000, 2_899)}` }),
    };
  };
}

function otherDialogues(random: Random): Act[] {
  const kinds = [dialogues.saidNo, dialogues.left, dialogues.leftConfirm, dialogues.invalidInputs];
  const without = Array.from({ length: 24 }, (_, i): Act => {
    const number = `0244${String(700_100 + i * 13)}`;
    const channel = random.pick<string>(shops.flatMap(({ channels }) => channels));
    const dialogue = kinds[i % kinds.length] ?? dialogues.left;
    return {
      atMs: timeIn(random, i % 4 === 0 ? 'lastDay' : 'any'),
      run: (scene) => dialogue(scene, number, channel),
    };
  });
  return without;
}
