import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { Environment } from '../../gateway/config/secrets.ts';
import { messageOf, UserError } from '../../shared/errors.ts';
import { createFolder, readPrivately, replacePrivately } from '../../sqlite/private-file.ts';

/** A person who has signed in at a gateway. The token acts as the person until `until`. */
export type KeptSignIn = { name: string; token: string; until: string };

const content = z.record(
  z.string(),
  z.object({ name: z.string().min(1), token: z.string().min(1), until: z.iso.datetime() }),
);

/** Gateways in the file; those whose token has ended are removed. */
const maxGateways = 50;

/** Returns the file with the tokens of this user, one for each gateway. Only the user may read it. */
export function signInFile(env: Environment): string {
  const folder = env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config');
  return join(folder, 'dialtill', 'sign-ins.json');
}

/** Returns the sign-in at a gateway; `undefined` without one. @throws UserError when the file cannot be read. */
export function readSignIn(env: Environment, url: string): KeptSignIn | undefined {
  return readAll(signInFile(env))[url];
}

/** Keeps a sign-in, in the place of another one at the same gateway. @throws UserError when the file cannot be written. */
export function keepSignIn(
  env: Environment,
  url: string,
  { signIn, now }: { signIn: KeptSignIn; now: number },
) {
  const file = signInFile(env);
  const others = Object.entries(readAll(file)).filter(
    ([other, { until }]) => other !== url && Date.parse(until) > now,
  );
  write(file, Object.fromEntries([...others.slice(1 - maxGateways), [url, signIn]]));
}

/** Removes the sign-in at a gateway. @throws UserError when the file cannot be written. */
export function removeSignIn(env: Environment, url: string): void {
  const file = signInFile(env);
  const { [url]: removed, ...others } = readAll(file);
  if (removed) write(file, others);
}

function readAll(file: string): Record<string, KeptSignIn> {
  if (!existsSync(file)) return {};
  try {
    return content.parse(JSON.parse(readPrivately(file)));
  } catch (cause) {
    throw new UserError(
      `${file}: expected the sign-ins of this user: ${messageOf(cause)}. Remove the file and sign in again.`,
      { cause },
    );
  }
}

function write(file: string, signIns: Record<string, KeptSignIn>): void {
  try {
    createFolder(dirname(file));
    replacePrivately(file, `${JSON.stringify(signIns, null, 2)}\n`);
  } catch (cause) {
    throw new UserError(`${messageOf(cause)}. With --print, the token is printed instead of kept.`, {
      cause,
    });
  }
}
