import { PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { protectOutput } from '../../src/cli/terminal/output.ts';
import { askLines } from '../../src/cli/terminal/terminal.ts';

const questions = [{ text: 'Name: ' }, { text: 'Password: ', isHidden: true }, { text: 'Code: ' }];

/** A terminal, and everything that it shows. */
function createTerminal() {
  const screen = { text: '' };
  const output = Object.assign(new PassThrough(), { isTTY: true });
  output.on('data', (chunk) => {
    screen.text += chunk;
  });
  return { stdin: Object.assign(new PassThrough(), { isTTY: true }), stderr: protectOutput(output), screen };
}

/** Waits until the terminal shows a text. */
async function shows(screen: { text: string }, text: string): Promise<void> {
  while (!screen.text.includes(text)) await setImmediate();
}

test('at a terminal, the password is not shown while it is typed, and other answers are', async () => {
  const { stdin, stderr, screen } = createTerminal();
  const answers = askLines({ stdin, stderr }, questions);
  await shows(screen, 'Name: ');
  stdin.write('ama\r');
  await shows(screen, 'Password: ');
  stdin.write('correct horse battery\r');
  await shows(screen, 'Code: ');
  stdin.write('123456\r');
  expect(await answers).toEqual(['ama', 'correct horse battery', '123456']);
  expect(screen.text).toContain('ama');
  expect(screen.text).toContain('123456');
  expect(screen.text).not.toMatch(/correct|horse|battery/);
});

test.each(['\u0003', '\u0004'])('ctrl-c and ctrl-d end the questions', async (key) => {
  const { stdin, stderr, screen } = createTerminal();
  const answers = askLines({ stdin, stderr }, questions);
  await shows(screen, 'Name: ');
  stdin.write(key);
  expect(await answers).toBeUndefined();
});

test('without a terminal, the lines of the input are the answers, and nothing is asked', async () => {
  const { stderr, screen } = createTerminal();
  const stdin = new PassThrough();
  stdin.end('ama\nsecret words\n123456');
  expect(await askLines({ stdin, stderr }, questions)).toEqual(['ama', 'secret words', '123456']);
  expect(screen.text).toBe('');
});
