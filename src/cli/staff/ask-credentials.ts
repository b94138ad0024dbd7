import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import type { ConfirmInput } from '../../contract/staff/account.ts';
import type { Output } from '../terminal/output.ts';
import type { Input } from '../terminal/terminal.ts';

/** What a sign-in asks for besides the name. */
export const credentialQuestions = [
  { text: 'Password: ', isHidden: true },
  { text: 'Code of the app, or a recovery code: ' },
] as const;

/** Asks for the password and a code before something that needs them. `undefined` without a terminal. */
export async function askCredentials(
  io: { stdin: Input; stderr: Output },
  name: string,
): Promise<ConfirmInput | undefined> {
  if (!io.stdin.isTTY) return undefined;
  io.stderr.write(`This needs the password of ${name} and a code.\n`);
  const [password, code] = (await askLines(io, credentialQuestions)) ?? [];
  if (!password || !code) return undefined;
  return { password, code: code.trim() };
}

export type Question = {
  text: string;
  /** The answer is not shown while it is typed. */
  isHidden?: boolean;
};

/**
 * Asks questions at the terminal, and returns one line for each. Questions go to `stderr`, so that the output of the command can be
 * used. Without a terminal, nothing is asked: the lines of the input are the answers.
 *
 * @returns `undefined` when the input ends before the last answer, or after ctrl-c or ctrl-d.
 */
export async function askLines(
  { stdin, stderr }: { stdin: Input; stderr: Output },
  questions: readonly Question[],
): Promise<string[] | undefined> {
  const isTerminal = stdin.isTTY === true;
  let isMuted = false;
  const output = new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (!isMuted) stderr.raw.write(chunk);
      done();
    },
  });
  const reader = createInterface({ input: stdin, output, terminal: isTerminal, historySize: 0 });
  reader.on('SIGINT', () => reader.close());
  const lines = reader[Symbol.asyncIterator]();
  const answers: string[] = [];
  try {
    for (const { text, isHidden = false } of questions) {
      if (isTerminal) {
        isMuted = false;
        reader.setPrompt(stderr.shown(text));
        reader.prompt();
        isMuted = isHidden;
      }
      const line = await lines.next();
      if (isTerminal && isHidden) stderr.write('\n');
      if (line.done === true) return undefined;
      answers.push(line.value);
    }
    return answers;
  } finally {
    reader.close();
  }
}
