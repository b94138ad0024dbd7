import type { Context } from 'hono';
import type { Actor } from '../access/permissions.ts';
import { findTokenHolder } from '../accounts/command-token.ts';
import type { AccountDeps } from '../accounts/session.ts';
import { configurationActor, isConfigurationProof, mayBeConfigurationProof } from './configuration-proof.ts';

export type CallerDeps = {
  accounts: AccountDeps;
  /** The key whose possession proves access to the configuration; absent without the console. */
  configurationKey: string | undefined;
  clock: AccountDeps['clock'];
};

/** Returns the sender of a request; `undefined` without a valid proof. */
export async function findCaller(deps: CallerDeps, c: Context): Promise<Actor | undefined> {
  const header = c.req.header('authorization');
  if (mayBeConfigured(deps, header)) return findConfiguration(deps, c, header);
  const given = readCredentials(header);
  if (!given) return undefined;
  return findTokenHolder(deps.accounts, given.name, given.secret);
}

/** Returns whether the body of a request may prove that its sender has the configuration. */
export function mayBeConfigured(
  { configurationKey, clock }: Pick<CallerDeps, 'configurationKey' | 'clock'>,
  header: string | undefined,
): boolean {
  return configurationKey !== undefined && mayBeConfigurationProof(header, clock.now());
}

async function findConfiguration(
  { configurationKey: key, clock }: CallerDeps,
  c: Context,
  header: string | undefined,
): Promise<Actor | undefined> {
  if (key === undefined) return undefined;
  const { pathname, search } = new URL(c.req.url);
  const request = { method: c.req.method, path: `${pathname}${search}`, body: await c.req.text() };
  if (!isConfigurationProof(header, { key, request, now: clock.now() })) return undefined;
  return { kind: 'configuration', name: configurationActor, merchantId: null };
}

/** A name and a secret, as HTTP Basic carries them. */
type Credentials = { name: string; secret: string };

/** A name has at most 32 characters, and a token 64. */
const maxHeaderLength = 512;

/** Returns the name and the secret of HTTP Basic; undefined without them. */
export function readCredentials(header: string | undefined): Credentials | undefined {
  if (header === undefined || header.length > maxHeaderLength) return undefined;
  const encoded = /^Basic +([A-Za-z0-9+/]+={0,2})$/i.exec(header)?.[1];
  const text = encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString('utf8');
  const end = text.indexOf(':');
  return end > 0 ? { name: text.slice(0, end), secret: text.slice(end + 1) } : undefined;
}
