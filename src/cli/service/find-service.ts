import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { demoFolder } from '../../gateway/config/find.ts';
import { type Environment, resolveVariable } from '../../gateway/config/secrets.ts';
import { UserError } from '../../shared/errors.ts';
import { readYaml } from '../../shared/yaml.ts';
import { readStateFile } from '../state-file.ts';

/** The address of a collection service, and the token of its admin API. */
export type ServiceAccess = {
  /** Without a trailing slash. */
  url: string;
  /** The option, variable or file that the address came from, for error messages. */
  urlFrom: string;
  /** Absent if no token was found. */
  token?: { value: string; from: string };
};

/** The file that `dialtill service start` stores beside its database. */
const sandboxSettings = z.object({
  url: z.string(),
  /** Absent if the token came from the environment. */
  adminToken: z.string().optional(),
  /** How far the test clock was advanced in total. */
  advancedMs: z.number().min(0),
  /** The time of the last start, by the system clock. */
  startedAt: z.number(),
});
export type SandboxSettings = z.infer<typeof sandboxSettings>;

/** Returns the file of a folder that names the running sandbox. */
export function sandboxFile(folder: string): string {
  return join(folder, 'sandbox.json');
}

/** The file that a live start stores beside its database. It never contains the admin token. */
const liveSettings = z.object({ url: z.string(), startedAt: z.number() });

/** Returns the file of a folder that names the running live service. */
export function liveFile(folder: string): string {
  return join(folder, 'live.json');
}

/** The data folder of the demo and the sandbox: the given one, else `DIALTILL_DATA`, else `./data`. */
export function dataFolder(given: string | undefined, env: Environment): string {
  return given || demoFolder(env);
}

/**
 * Reads the admin token from `DIALTILL_ADMIN_TOKEN`, or from the file that `DIALTILL_ADMIN_TOKEN_FILE` names. There
 * is no command line option for it: other users of the machine can read the options of a running process.
 *
 * @throws UserError if both are set, or the file cannot be read.
 */
export function readAdminToken(env: Environment): string | undefined {
  if (!env.DIALTILL_ADMIN_TOKEN && !env.DIALTILL_ADMIN_TOKEN_FILE) return undefined;
  const found = resolveVariable('DIALTILL_ADMIN_TOKEN', env);
  if ('value' in found) return found.value;
  throw new UserError(`cannot read the admin token: ${found.message}.`);
}

/**
 * Finds the service that a command uses: the one given by `--url` or `DIALTILL_SERVICE_URL`, else the one that the
 * demo or `dialtill service start` started last in the data folder. The token in that folder is used only for the
 * service of that folder.
 *
 * @throws UserError if there is no service, or its address or token cannot be read.
 */
export function findService(
  options: { url?: string | undefined; data?: string | undefined },
  env: Environment,
): ServiceAccess {
  const folder = dataFolder(options.data, env);
  const started = findLastStarted(folder);
  const [given, givenBy] = options.url
    ? [options.url, '--url']
    : [env.DIALTILL_SERVICE_URL, 'DIALTILL_SERVICE_URL'];
  if (!given && !started) {
    throw new UserError(
      `no collection service found: ${folder} has neither sandbox.json nor demo.json. Start one with ` +
        '"npx dialtill service start", or name one with --url (or DIALTILL_SERVICE_URL) and DIALTILL_ADMIN_TOKEN.',
    );
  }
  const url = given ? readUrl(given, givenBy) : (started?.url ?? '');
  const token = tokenFor(url, started, env);
  return { url, urlFrom: given ? givenBy : (started?.file ?? folder), ...(token ? { token } : {}) };
}

function tokenFor(url: string, started: Started | undefined, env: Environment): ServiceAccess['token'] {
  const value = readAdminToken(env);
  if (value !== undefined) return { value, from: 'DIALTILL_ADMIN_TOKEN' };
  if (started?.url !== url || started.token === undefined) return undefined;
  return { value: started.token, from: started.file };
}

function readUrl(text: string, from: string): string {
  const parsed = URL.canParse(text) ? new URL(text) : undefined;
  const plain = parsed && !parsed.username && !parsed.password && !parsed.search && !parsed.hash;
  if (plain && /^https?:$/.test(parsed.protocol)) return parsed.href.replace(/\/+$/, '');
  throw new UserError(
    `${from}: expected the URL of a service, such as http://127.0.0.1:8090, found "${text}".`,
  );
}

type Started = { url: string; token: string | undefined; file: string; startedAt: number };

function findLastStarted(folder: string): Started | undefined {
  const found = [readSandbox(folder), readDemo(folder), readLive(folder)].filter(
    (started) => started !== undefined,
  );
  return found.toSorted((a, b) => b.startedAt - a.startedAt)[0];
}

function readSandbox(folder: string): Started | undefined {
  const file = sandboxFile(folder);
  const settings = readSandboxSettings(file);
  return settings && { ...settings, token: settings.adminToken, file };
}

function readLive(folder: string): Started | undefined {
  const file = liveFile(folder);
  const remedy = 'Start the service again, or name it with --url.';
  const settings = readStateFile(file, { schema: liveSettings, remedy });
  return settings && { ...settings, token: undefined, file };
}

/** Returns `undefined` without the file. @throws UserError if `dialtill service start` did not write it. */
export function readSandboxSettings(file: string): SandboxSettings | undefined {
  const remedy = 'Remove it to start with a new admin token; merchants and keys are not affected.';
  return readStateFile(file, { schema: sandboxSettings, remedy });
}

const demoSettings = z.object({
  adminToken: z.string(),
  /** Absent until the demo has listened for the first time. */
  startedAt: z.number().optional(),
});
const demoConfig = z.object({ service: z.object({ url: z.string() }) });

function readDemo(folder: string): Started | undefined {
  const [file, configFile] = [join(folder, 'demo.json'), join(folder, 'demo.yaml')];
  if (!existsSync(file) || !existsSync(configFile)) return undefined;
  try {
    const { adminToken, startedAt } = demoSettings.parse(JSON.parse(readFileSync(file, 'utf8')));
    const source = readYaml(readFileSync(configFile, 'utf8'), configFile);
    const { service } = demoConfig.parse(source.ok ? source.value : undefined);
    return startedAt === undefined ? undefined : { url: service.url, token: adminToken, file, startedAt };
  } catch (cause) {
    throw new UserError(`cannot read ${file} and ${configFile}. Start the demo again: npx dialtill start`, {
      cause,
    });
  }
}
