import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { Context } from 'hono';
import type { EpochMs } from '../../shared/clock.ts';
import type { Actor } from '../access/permissions.ts';
import { findTokenHolder } from '../accounts/command-token.ts';
import type { AccountDeps } from '../accounts/session.ts';

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

/** The scheme of an `Authorization` header that proves no person, but that its sender has the keys of the configuration. */
const scheme = 'Dialtill-Configuration';

/** The recorded actor of such a request. No account can have this name. */
export const configurationActor = '(configuration)';

/** The tolerated difference of both clocks. It also bounds the use of a copied header of a read. */
const toleranceMs = 5 * 60_000;

/** A request to the staff API. `path` is the whole path, with the query. */
type ProvenRequest = { method: string; path: string; body: string };

/**
 * Returns the header that proves for one request that its sender has the key of the console. Who has it can read the seeds of all
 * one-time passwords, so that it proves as much as any account.
 *
 * @param key `console.secretsKey` of the configuration.
 */
export function createConfigurationProof(key: string, request: ProvenRequest, now: EpochMs): string {
  return `${scheme} t=${now},proof=${getProof(key, request, now).toString('base64url')}`;
}

/** Returns whether a header is a proof of this request, not older than five minutes. */
function isConfigurationProof(
  header: string | undefined,
  { key, request, now }: { key: string; request: ProvenRequest; now: EpochMs },
): boolean {
  const read = readProof(header, now);
  return read !== undefined && timingSafeEqual(read.proof, getProof(key, request, read.at));
}

/** Returns whether a header has the form and the time of a proof. Only the body shows whether it is one. */
export function mayBeConfigurationProof(header: string | undefined, now: EpochMs): boolean {
  return readProof(header, now) !== undefined;
}

/** Returns what identifies a proof, however its header is spelled. */
export function getProofId(header: string | undefined): string | undefined {
  return parseProof(header)?.proof.toString('base64url');
}

function readProof(header: string | undefined, now: EpochMs): { at: EpochMs; proof: Buffer } | undefined {
  const read = parseProof(header);
  return read === undefined || Math.abs(now - read.at) > toleranceMs ? undefined : read;
}

function parseProof(header: string | undefined): { at: EpochMs; proof: Buffer } | undefined {
  const [, time, proof] = new RegExp(`^${scheme} t=(\\d{1,15}),proof=([\\w-]{43})$`).exec(header ?? '') ?? [];
  return proof === undefined ? undefined : { at: Number(time), proof: Buffer.from(proof, 'base64url') };
}

function getProof(key: string, { method, path, body }: ProvenRequest, at: EpochMs): Buffer {
  const digest = createHash('sha256').update(body).digest('hex');
  // A key of its own: the key of the configuration encrypts.
  const own = createHmac('sha256', Buffer.from(key, 'base64'))
    .update('dialtill configuration proof')
    .digest();
  return createHmac('sha256', own).update([at, method, path, digest].join('\n')).digest();
}
