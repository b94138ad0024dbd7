import { pathToFileURL } from 'node:url';
import { shopMenu } from '../test/kit/shop-menu.ts';
import { context } from '../test/menu/support.ts';
import { median } from './kit/median.ts';
import { parseOptions } from './kit/options.ts';

/**
 * Measures a step of the menu: the bytes that it allocates, and its processor time. The built program plays dialogues of a shop from
 * the dial to the confirmation. Node gets so much memory for new objects that none is collected within a round.
 *
 * `npm run bench:menu -- --dialogues 2000 --rounds 5 --json`
 */
const values = parseOptions('npm run bench:menu --', {
  dialogues: { type: 'string', default: '2000' },
  rounds: { type: 'string', default: '5' },
  json: { type: 'boolean', default: false },
});
const dialogues = Math.min(5_000, Number(values.dialogues));
const rounds = Math.min(20, Number(values.rounds));

type Steps = typeof import('../src/menu/state/step.ts');
const { startDialogue, step }: Steps = await import(pathToFileURL('dist/menu/state/step.js').href);
const menu = shopMenu();
/** My number, the amount, the confirmation. */
const inputs = ['1', '20', '1'];
const steps = 1 + inputs.length;

function play(): void {
  const end = inputs.reduce(
    ({ state }, input) => step(menu, state, input, context),
    startDialogue(menu, {}, context),
  );
  if (!end.intent) throw new Error(`the dialogue does not end with a payment: ${end.reply.text}`);
}

function measure(): { bytes: number; microseconds: number } {
  globalThis.gc?.();
  const { heapUsed } = process.memoryUsage();
  const used = process.cpuUsage();
  for (let n = 0; n < dialogues; n++) play();
  const { user, system } = process.cpuUsage(used);
  const all = dialogues * steps;
  return {
    bytes: (process.memoryUsage().heapUsed - heapUsed) / all,
    microseconds: (user + system) / all,
  };
}

for (let n = 0; n < 20_000; n++) play();
const measured = Array.from({ length: rounds }, measure);
const bytes = Math.round(median(measured.map((one) => one.bytes)));
const microseconds = median(measured.map((one) => one.microseconds));
process.stdout.write(
  values.json
    ? `${JSON.stringify({ bytes, microseconds })}\n`
    : `a step of the menu allocates ${bytes} bytes and takes ${microseconds.toFixed(1)} us; medians of ${rounds} rounds\n`,
);
