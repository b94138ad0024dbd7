import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import type { Environment } from '../../gateway/config/secrets.ts';
import { errorMessage, UserError } from '../../shared/errors.ts';
import { createFolder, readPrivately, replacePrivately } from '../../sqlite/private-file.ts';
import { signInFile } from '../env-file.ts';
import { type Output, printable } from '../terminal/output.ts';

/** Forgets a sign-in that has ended, when the key of the configuration has replaced it. */
export type ForgetEnded = (ended: { name: string; secret: string; url: string; urlFrom: string }) => void;

/** A person who has signed in at a gateway. The token acts as the person until `until`. */
export type KeptSignIn = { name: string; token: string; until: string };

const content = z.record(
  z.string(),
  z.object({ name: z.string().min(1), token: z.string().min(1), until: z.iso.datetime() }),
);

/** Gateways in the file; those whose token has ended are removed. */
const maxGateways = 50;

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

/** Removes a sign-in that the gateway has rejected, and says what replaces it. Never throws a `UserError`: the request succeeded. */
export function forgetEnded({ env, stderr }: { env: Environment; stderr: Output }): ForgetEnded {
  return ({ name, secret, url, urlFrom }) => {
    stderr.write(
      printable(
        `the sign-in of ${name} at ${url} has ended and is removed: acting with console.secretsKey of ${urlFrom}\n`,
      ),
    );
    try {
      // Another command may have signed in meanwhile.
      if (readSignIn(env, url)?.token === secret) removeSignIn(env, url);
    } catch (fault) {
      if (!(fault instanceof UserError)) throw fault;
    }
  };
}

function readAll(file: string): Record<string, KeptSignIn> {
  if (!existsSync(file)) return {};
  try {
    return content.parse(JSON.parse(readPrivately(file)));
  } catch (cause) {
    throw new UserError(
      `${file}: expected the sign-ins of this user: ${errorMessage(cause)}. Remove the file and sign in again.`,
      { cause },
    );
  }
}

function write(file: string, signIns: Record<string, KeptSignIn>): void {
  try {
    createFolder(dirname(file));
    replacePrivately(file, `${JSON.stringify(signIns, null, 2)}\n`);
  } catch (cause) {
    throw new UserError(`${errorMessage(cause)}. With --print, the token is printed instead of kept.`, {
      cause,
    });
  }
}
