import type { Course } from './courses/course.ts';
import { approved, byMagicNumber } from './courses/paid.ts';
import { wrongAmount } from './courses/review.ts';
import { declined } from './courses/unpaid.ts';
import { type Act, hourMs, type Order, weekMs } from './scene.ts';
import { shops } from './shops.ts';
import type { Progress } from './stage.ts';

/*
 * The payments of the jobs in docs/support.md. Their numbers and times do not depend on the other payments.
 */

const [abena, kofi, volta] = shops;
const caller = '0244123456';
const stranger = '0264999757';

const act = (hoursBefore: number, course: Course, order: Order): Act => ({
  atMs: weekMs - hoursBefore * hourMs,
  run: (scene) => course(scene, order),
});

const ofCaller = (amount: string, bill: string): Order => ({
  ...{ shop: abena, channel: 'africastalking', payer: caller, dialler: caller, amount, bill },
});
const byStranger: Order = {
  ...{ shop: kofi, channel: 'hubtel', payer: caller, dialler: stranger, amount: '96.50' },
};
const alone = (payer: string, amount: string): Order => ({
  ...{ shop: volta, channel: 'arkesel', payer, dialler: payer, amount },
});

export const story: readonly Act[] = [
  act(122, declined, byStranger),
  act(98, declined, byStranger),
  act(50, declined, ofCaller('147', 'INV-7042')),
  act(26.8, approved, ofCaller('10', 'INV-7041')),
  // A number whose prompts the rail never ends.
  act(10, byMagicNumber, alone('0507001904', '149')),
  act(6, wrongAmount, alone('0556181644', '117')),
];

const clearLine = '\r\u001b[K';

/** Shows how much of the week has happened: on a terminal in one line that is removed at the end, elsewhere a line for each day. */
export function createProgress(output: { isTTY?: boolean; write(text: string): unknown }) {
  let shown = '';
  return {
    report({ day, days, percent }: Progress): void {
      const line = `day ${day} of ${days}${output.isTTY ? `, ${percent} %` : ''}`;
      if (line === shown) return;
      shown = line;
      output.write(output.isTTY ? `${clearLine}${line}` : `${line}\n`);
    },
    end(): void {
      if (output.isTTY) output.write(clearLine);
    },
  };
}
