import { errorMessage, UserError } from '../../shared/errors.ts';
import { compareConfigs } from '../config/compare.ts';
import type { Config } from '../config/schema.ts';
import { type MovedMerchants, requireServedHere } from '../database/moved-merchants-query.ts';
import type { GatewayContext, GatewayOverrides } from './context.ts';

/** A configuration that was read whole, and that nothing uses yet. */
export type PreparedReload = {
  /** One line for each merchant and channel that changes. */
  changes: string[];
  /** Replaces what runs, unless a configuration that was read later runs already. @throws UserError when nothing was applied. */
  apply(): void;
};

/** Reads another configuration; see `Gateway.reload`. Its only exception is a `UserError`: no reload ends the process. */
export type PrepareReload = (next?: Config) => PreparedReload;

/**
 * Creates the function that prepares a reload of a gateway. All or nothing: what runs is always one configuration that was read whole.
 *
 * @param first the configuration that runs.
 */
export function createReload(
  { directory, log }: GatewayContext,
  first: Config,
  { readConfig, moved }: Pick<GatewayOverrides, 'readConfig'> & { moved: MovedMerchants },
): PrepareReload {
  let running = first;
  let reads = 0;
  let runningRead = 0;

  function prepare(given?: Config): PreparedReload {
    if (given === undefined && readConfig === undefined)
      throw new UserError(
        'this gateway, such as the demo, does not read its files again. Nothing was reloaded: stop it and start it again',
      );
    const next = given ?? readConfig?.() ?? running;
    const { changes, restart } = compareConfigs(running, next);
    if (restart.length > 0)
      throw new UserError(
        `${restart.join(', ')} changed, which only a restart applies. Nothing was reloaded: restart the gateway, or undo this change`,
      );
    requireServedHere(
      moved,
      next.merchants.map(({ id }) => id),
    );
    reads += 1;
    const read = reads;
    const apply = () => {
      if (read < runningRead) return;
      directory.replace(next);
      running = next;
      runningRead = read;
      log.info({ changes }, changes.length > 0 ? 'the configuration was reloaded' : 'nothing to reload');
    };
    return { changes, apply: () => logged(apply) };
  }

  function logged<T>(step: () => T): T {
    try {
      return step();
    } catch (fault) {
      const isExpected = fault instanceof UserError;
      const line = { fault: errorMessage(fault), ...(isExpected ? {} : { stack: findStack(fault) }) };
      log.error(line, 'the configuration was not reloaded; the one before stays in use');
      throw isExpected ? fault : new UserError(unexpected, { cause: fault });
    }
  }

  return (given) => logged(() => prepare(given));
}

const unexpected =
  'an unexpected error, which the log of the gateway has. Nothing was reloaded: run "dialtill menu check", or undo the last change';

function findStack(fault: unknown): string | undefined {
  return fault instanceof Error ? fault.stack : undefined;
}
