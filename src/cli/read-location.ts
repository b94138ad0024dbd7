import type { Environment } from '../gateway/config/secrets.ts';
import type { DatabaseLocation } from '../gateway/database/database-location.ts';
import { UserError } from '../shared/errors.ts';

/**
 * Reads where a database is: a file, a `postgres://` URL, or `$NAME` for the URL in a variable, so that its password is in no list
 * of processes.
 *
 * @throws UserError for a variable that is not set, and for a URL of another kind.
 */
export function readLocation(text: string, env: Environment): DatabaseLocation {
  const variable = /^\$\{?(\w+)\}?$/.exec(text)?.[1];
  const value = variable === undefined ? text : env[variable];
  if (!value) throw new UserError(`the variable ${variable ?? ''} is not set`);
  if (!/^\w+:\/\//.test(value)) return { file: value };
  if (!/^postgres(ql)?:\/\//.test(value))
    throw new UserError('expected a file, or a URL that begins with postgres://');
  return { url: value, maxConnections: 1 };
}
