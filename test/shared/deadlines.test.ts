import { expect, test } from 'vitest';
import { createDeadlines, type Deadline } from '../../src/shared/deadlines.ts';
import { settle, testClock } from '../kit/clock.ts';

/** Work that ends when the test calls `end`. */
function controlledWork() {
  let end = (_: string) => {};
  let fail = (_: Error) => {};
  let deadline: Deadline | undefined;
  const work = (limit: Deadline) => {
    deadline = limit;
    return new Promise<string>((resolve, reject) => {
      end = resolve;
      fail = reject;
    });
  };
  return {
    work,
    end: (text: string) => end(text),
    fail: (fault: Error) => fail(fault),
    isLate: () => deadline?.aborted === true,
  };
}

const outcomeOf = (running: Promise<string>) =>
  running.catch((fault: unknown) => (fault instanceof Error ? fault.message : ''));

test('work that ends in time has its result, and its error', async () => {
  const within = createDeadlines(testClock());
  const [good, bad] = [controlledWork(), controlledWork()];
  const running = [within(1_000, good.work), outcomeOf(within(1_000, bad.work))];
  good.end('done');
  bad.fail(new Error('no disk'));
  expect(await Promise.all(running)).toEqual(['done', 'no disk']);
  expect(good.isLate()).toBe(false);
});

test('each piece of work has its own time limit, also when it starts while another one runs', async () => {
  const clock = testClock();
  const within = createDeadlines(clock);
  const [first, second, short] = [controlledWork(), controlledWork(), controlledWork()];
  const outcomes: Record<string, string> = {};
  const start = (name: string, ms: number, { work }: typeof first) =>
    void outcomeOf(within(ms, work)).then((outcome) => {
      outcomes[name] = outcome;
    });
  start('first', 1_000, first);
  await clock.advance(600);
  start('second', 1_000, second);
  start('short', 100, short);
  await clock.advance(399);
  expect(outcomes).toEqual({ short: 'no answer within 100 ms' });
  await clock.advance(1);
  expect(outcomes).toMatchObject({ first: 'no answer within 1000 ms' });
  expect([first.isLate(), second.isLate()]).toEqual([true, false]);
  await clock.advance(599);
  expect(outcomes).not.toHaveProperty('second');
  await clock.advance(1);
  expect(outcomes).toMatchObject({ second: 'no answer within 1000 ms' });
});

test('the deadline has passed when the error of the time limit arrives, and a later result changes nothing', async () => {
  const clock = testClock();
  const { work, end, isLate } = controlledWork();
  const late = createDeadlines(clock)(1_000, work).then(
    () => 'a result',
    () => isLate(),
  );
  await clock.advance(1_000);
  end('too late');
  await settle();
  expect(await late).toBe(true);
});

test('no timer remains when all work has ended, and new work has a new one', async () => {
  const clock = testClock();
  let sleeping = 0;
  const within = createDeadlines({
    now: clock.now,
    async sleep(ms, signal) {
      sleeping++;
      await clock.sleep(ms, signal);
      sleeping--;
    },
  });
  const [one, other] = [controlledWork(), controlledWork()];
  const running = [within(1_000, one.work), within(1_000, other.work)];
  expect(sleeping).toBe(1);
  one.end('one');
  other.end('other');
  await Promise.all(running);
  await settle();
  expect(sleeping).toBe(0);
  const again = controlledWork();
  const outcome = outcomeOf(within(1_000, again.work));
  await clock.advance(1_000);
  expect(await outcome).toBe('no answer within 1000 ms');
});
