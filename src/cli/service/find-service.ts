import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { demoFolder } from '../../gateway/config/find.ts';
import { type Environment, fillSecrets } from '../../gateway/config/secrets.ts';
import { UserError } from '../../shared/errors.ts';
import { readYaml } from '../../shared/yaml.ts';

/** Where a collection service is, and what opens its back office. */
export type ServiceAccess = {
  /** Without a slash at its end. */
  url: string;
  /** Where the address is from, for the error that says so. */
  urlFrom: string;
  /** Absent where nobody has told it. */
  token?: { value: string; from: string };
};

/** What `dialtill service start` remembers beside its database. */
const sandboxMemory = z.object({
  url: z.string(),
  /** Absent when it came from the environment. */
  adminToken: z.string().optional(),
  /** How far the test clock was moved on, in all. */
  aheadMs: z.number().min(0).default(0),
  /** When it was last started, by the machine's clock. */
  startedAt: z.number().optional(),
});
export type SandboxMemory = z.infer<typeof sandboxMemory>;

export function sandboxFile(folder: string): string {
  return join(folder, 'sandbox.json');
}

/** The folder of the demo and the sandbox: the one named, else `DIALTILL_DATA`, else `./data`. */
export function dataFolder(named: string | undefined, env: Environment): string {
  return named || demoFolder(env);
}

/**
 * The admin token that the environment hands in, as `DIALTILL_ADMIN_TOKEN` or in the file that
 * `DIALTILL_ADMIN_TOKEN_FILE` names; never a flag, which other users of the machine could read.
 *
 * @throws UserError when both are set, or the file cannot be read.
 */
export function adminTokenOf(env: Environment): string | undefined {
  if (!env.DIALTILL_ADMIN_TOKEN && !env.DIALTILL_ADMIN_TOKEN_FILE) return undefined;
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the form in which configuration files name a secret
  const { value, errors } = fillSecrets('${DIALTILL_ADMIN_TOKEN}', env);
  if (typeof value === 'string') return value;
  throw new UserError(`The admin token cannot be read: ${errors[0]?.message}.`);
}

/**
 * The service that a command means: the one named by `--url` or `DIALTILL_SERVICE_URL`, else the one that was
 * started last in the data folder, by the demo or by `dialtill service start`. A token out of that folder opens the
 * service of that folder and is sent to no other.
 *
 * @throws UserError when there is none, or what is said about it cannot be read.
 */
export function findService(
  options: { url?: string | undefined; data?: string | undefined },
  env: Environment,
): ServiceAccess {
  const folder = dataFolder(options.data, env);
  const started = lastStarted(folder);
  const [named, urlFrom] = options.url
    ? [options.url, '--url']
    : [env.DIALTILL_SERVICE_URL, 'DIALTILL_SERVICE_URL'];
  if (!named && !started) {
    throw new UserError(
      `no collection service is known here: ${folder} holds neither sandbox.json nor demo.json. Start one with ` +
        '"npx dialtill service start", or name one with --url (or DIALTILL_SERVICE_URL) and DIALTILL_ADMIN_TOKEN.',
    );
  }
  const url = named ? readUrl(named, urlFrom) : (started?.url ?? '');
  const given = adminTokenOf(env);
  const token =
    given !== undefined
      ? { value: given, from: 'DIALTILL_ADMIN_TOKEN' }
      : started?.url === url && started.token !== undefined
        ? { value: started.token, from: started.file }
        : undefined;
  return { url, urlFrom: named ? urlFrom : (started?.file ?? folder), ...(token ? { token } : {}) };
}

function readUrl(text: string, from: string): string {
  const parsed = URL.canParse(text) ? new URL(text) : undefined;
  const plain = parsed && !parsed.username && !parsed.password && !parsed.search && !parsed.hash;
  if (plain && /^https?:$/.test(parsed.protocol)) return parsed.href.replace(/\/+$/, '');
  throw new UserError(`${from} takes the address of a service, such as http://127.0.0.1:8090`);
}

/** `at` is when, by the machine's clock; of files that do not tell, the time at which they were written. */
type Started = { url: string; token: string | undefined; file: string; at: number };

function lastStarted(folder: string): Started | undefined {
  const both = [readSandbox(folder), readDemo(folder)].filter((one) => one !== undefined);
  return both.toSorted((one, other) => other.at - one.at)[0];
}

function readSandbox(folder: string): Started | undefined {
  const file = sandboxFile(folder);
  if (!existsSync(file)) return undefined;
  const { url, adminToken, startedAt } = readSandboxMemory(file);
  return { url, token: adminToken, file, at: startedAt ?? statSync(file).mtimeMs };
}

/** @throws UserError when the file is not what `dialtill service start` wrote. */
export function readSandboxMemory(file: string): SandboxMemory {
  try {
    return sandboxMemory.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (cause) {
    throw new UserError(`${file} cannot be read. Remove it to begin anew; keys that were made stay.`, {
      cause,
    });
  }
}

const demoMemory = z.object({ adminToken: z.string(), startedAt: z.number().optional() });
const demoConfig = z.object({ service: z.object({ url: z.string() }) });

function readDemo(folder: string): Started | undefined {
  const [memory, config] = [join(folder, 'demo.json'), join(folder, 'demo.yaml')];
  if (!existsSync(memory) || !existsSync(config)) return undefined;
  try {
    const { adminToken, startedAt } = demoMemory.parse(JSON.parse(readFileSync(memory, 'utf8')));
    const source = readYaml(readFileSync(config, 'utf8'), config);
    const { service } = demoConfig.parse(source.ok ? source.value : undefined);
    return {
      url: service.url,
      token: adminToken,
      file: memory,
      at: startedAt ?? statSync(config).mtimeMs,
    };
  } catch (cause) {
    throw new UserError(`${memory} and ${config} cannot be read. Start the demo again: npx dialtill start`, {
      cause,
    });
  }
}
