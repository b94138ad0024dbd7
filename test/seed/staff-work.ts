import type { Random } from '../kit/random.ts';
import { type Act, hourMs, weekMs } from './act.ts';
import { rejected } from './dialogues.ts';
import type { Scene } from './scene.ts';
import { staffNames } from './shops.ts';

/** The numbers that are blocked. The first one dials again. */
const blocked = { dialler: '0244700999', payer: '0201700888', ended: '0554700777' } as const;

const notes = [
  'the payer called, and asks where the money is',
  'asked the operator of the service about it',
  'the payer sends the message of the wallet',
  'the shop has handed over the goods',
];

/** What support staff do in the week, beside their decisions. */
export function work(random: Random): Act[] {
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
