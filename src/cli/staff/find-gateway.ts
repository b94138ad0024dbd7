import { dirname } from 'node:path';
import { z } from 'zod';
import { getGatewayUrl } from '../../gateway/config/addresses.ts';
import { findConfig, findConsoleKey } from '../../gateway/config/find.ts';
import { findListen, withLastAddress } from '../../gateway/config/listen.ts';
import { type Environment, resolveVariable } from '../../gateway/config/secrets.ts';
import { errorMessage, UserError } from '../../shared/errors.ts';
import { createFolder, replacePrivately } from '../../sqlite/private-file.ts';
import { signInFile } from '../env-file.ts';
import { readUrl } from '../gateway-url.ts';
import { readStateFile } from '../state-file.ts';
import { type Output, printable } from '../terminal/output.ts';

/** Forgets a sign-in that has ended, when the key of the configuration has replaced it. */
export type ForgetEnded = (ended: { name: string; secret: string; url: string; urlFrom: string }) => void;

/** A person who has signed in at a gateway. The token acts as the person until `until`. */
type KeptSignIn = { name: string; token: string; until: string };

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
  const remedy = 'It has the sign-ins of this user. Remove it, and sign in again.';
  return readStateFile(file, { schema: content, remedy }) ?? {};
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

export type StaffOptions = { url?: string; config?: string };

export type GatewayAddress = {
  /** Without a trailing slash. */
  url: string;
  /** The option or file that the address came from, for error messages. */
  urlFrom: string;
};

/** A person. `from` is the file of the token, for one who has signed in. */
export type StaffPerson = { name: string; secret: string; from?: string };

export type ConfigurationKey = { configurationKey: string; configFile: string };

/** A gateway, and the person who uses it, or the key of its configuration. `otherwise` replaces a sign-in that has ended. */
export type StaffAccess = GatewayAddress &
  ((StaffPerson & { otherwise?: ConfigurationKey }) | ConfigurationKey);

/**
 * Finds the gateway of a command: the one that `--url` names, or else the one of the configuration. The person is read
 * from `DIALTILL_STAFF`, or from the file that `DIALTILL_STAFF_FILE` names, or else it is the one who has signed in at this gateway.
 * There is no option for it: other users of the machine can read the options of a running process.
 *
 * @throws UserError when the address or the person is missing or cannot be read.
 */
export function findGateway(options: StaffOptions, env: Environment): StaffAccess {
  const address = findUrl(options, env);
  const person = findSignedInPerson(address, env);
  if (person) return { ...address, ...person };
  throw new UserError(
    `this command needs to know who you are. Sign in with "dialtill staff sign-in", or set DIALTILL_STAFF to ${tokenForm}.`,
  );
}

const tokenForm =
  'name:token, with a token of My account in the console, or DIALTILL_STAFF_FILE to a file with it';

/** As `findGateway`; without a person, the key of the configuration stands for one, so that the first account and key can be added. */
export function findGatewayOrKey(options: StaffOptions, env: Environment): StaffAccess {
  const address = findUrl(options, env);
  const person = readPerson(env);
  if (person) return { ...address, ...person };
  const kept = readKept(address, env);
  // The address of --url need not be the one of the configuration: nothing replaces the sign-in there.
  if (kept && options.url !== undefined) return { ...address, ...kept };
  const file = findConfig(options.config, env);
  const configurationKey = findConsoleKey(file, env);
  const key = configurationKey === undefined ? undefined : { configurationKey, configFile: file };
  if (kept) return { ...address, ...kept, ...(key && { otherwise: key }) };
  if (key) return { ...address, ...key };
  throw new UserError(
    `${file} has no console, or its key is not set: without a person, this needs console.publicUrl and console.secretsKey. Where the configuration is, run the command there; elsewhere, sign in with "dialtill staff sign-in".`,
  );
}

/** Finds the address of the gateway of a command. @throws UserError when it is missing or cannot be read. */
export function findUrl({ url: given, config }: StaffOptions, env: Environment): GatewayAddress {
  if (given === undefined) {
    const file = findConfig(config, env);
    return { url: getGatewayUrl({ listen: findListen(file, withLastAddress(file, env)) }), urlFrom: file };
  }
  const url = readUrl(given);
  if (url === undefined) throw new UserError('--url: expected a URL such as http://127.0.0.1:8080');
  return { url, urlFrom: '--url' };
}

/** Finds the person of the environment, or else the one who has signed in at an address. */
export function findSignedInPerson(address: GatewayAddress, env: Environment): StaffPerson | undefined {
  return readPerson(env) ?? readKept(address, env);
}

function readKept({ url }: GatewayAddress, env: Environment): StaffPerson | undefined {
  const kept = readSignIn(env, url);
  return kept && { name: kept.name, secret: kept.token, from: signInFile(env) };
}

function readPerson(env: Environment): StaffPerson | undefined {
  if (!env.DIALTILL_STAFF && !env.DIALTILL_STAFF_FILE) return undefined;
  const found = resolveVariable('DIALTILL_STAFF', env);
  if (!('value' in found)) throw new UserError(`cannot read DIALTILL_STAFF: ${found.message}.`);
  const { value } = found;
  const end = value.indexOf(':');
  if (end <= 0 || end === value.length - 1) throw new UserError(`DIALTILL_STAFF: expected ${tokenForm}.`);
  return { name: value.slice(0, end), secret: value.slice(end + 1) };
}
