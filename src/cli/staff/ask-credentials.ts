import type { ConfirmInput } from '../../contract/staff/account.ts';
import { askLines } from '../terminal/ask-lines.ts';
import type { Output } from '../terminal/protected-output.ts';
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
