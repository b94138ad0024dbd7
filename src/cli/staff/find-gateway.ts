import { findConfig } from '../../gateway/config/find.ts';
import { findListen } from '../../gateway/config/find-listen.ts';
import { type Environment, fillSecrets } from '../../gateway/config/secrets.ts';
import { UserError } from '../../shared/errors.ts';
import { readUrl } from '../commands/channels.ts';
import { gatewayUrlOf } from '../gateway-url.ts';

export type StaffOptions = { url?: string; config?: string };

/** The address of a gateway, and the person who uses it. */
export type StaffAccess = {
  /** Without a trailing slash. */
  url: string;
  /** The option or file that the address came from, for error messages. */
  urlFrom: string;
  name: string;
  secret: string;
};

/**
 * Finds the gateway of a command: the one that `--url` names, or else the one of the configuration. The person is read
 * from `DIALTILL_STAFF`, or from the file that `DIALTILL_STAFF_FILE` names. There is no option for it: other users of
 * the machine can read the options of a running process.
 *
 * @throws UserError when the address or the person is missing or cannot be read.
 */
export function findGateway(options: StaffOptions, env: Environment): StaffAccess {
  const person = readPerson(env);
  return { ...findUrl(options, env), ...person };
}

/** Finds the address of the gateway of a command. @throws UserError when it is missing or cannot be read. */
export function findUrl(
  { url: given, config }: StaffOptions,
  env: Environment,
): Pick<StaffAccess, 'url' | 'urlFrom'> {
  if (given === undefined) {
    const file = findConfig(config, env);
    return { url: gatewayUrlOf({ listen: findListen(file, env) }), urlFrom: file };
  }
  const url = readUrl(given);
  if (url === undefined) throw new UserError('--url: expected a URL such as http://127.0.0.1:8080');
  return { url, urlFrom: '--url' };
}

function readPerson(env: Environment): { name: string; secret: string } {
  const expected =
    'Set DIALTILL_STAFF to name:secret of a person under staff in the configuration, such as "ama:$AMA_SECRET", ' +
    'or DIALTILL_STAFF_FILE to a file with it.';
  if (!env.DIALTILL_STAFF && !env.DIALTILL_STAFF_FILE)
    throw new UserError(`this command needs to know who you are. ${expected}`);
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the form in which configuration files name a secret
  const { value, errors } = fillSecrets('${DIALTILL_STAFF}', env);
  if (typeof value !== 'string') throw new UserError(`cannot read DIALTILL_STAFF: ${errors[0]?.message}.`);
  const end = value.indexOf(':');
  if (end <= 0 || end === value.length - 1)
    throw new UserError(`DIALTILL_STAFF: expected name:secret. ${expected}`);
  return { name: value.slice(0, end), secret: value.slice(end + 1) };
}
