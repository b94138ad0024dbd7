import { getGatewayUrl } from '../../gateway/config/addresses.ts';
import { findConfig, findConsoleKey } from '../../gateway/config/find.ts';
import { findListen, withLastAddress } from '../../gateway/config/listen.ts';
import { type Environment, resolveVariable } from '../../gateway/config/secrets.ts';
import { UserError } from '../../shared/errors.ts';
import { signInFile } from '../env-file.ts';
import { readUrl } from '../gateway-url.ts';
import { readSignIn } from './sign-in-file.ts';

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
