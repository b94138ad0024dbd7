import { withoutDigits } from '../../shared/log.ts';
import type { Person } from '../access/permissions.ts';
import { type AlertMessage, consoleUrl, toQueued } from '../notify/alert-job.ts';
import { type AlertKind, type AlertStore, type AlertTarget, alertWrites } from '../notify/alert-store.ts';
import { type AccountFault, changeAccount } from './account-action.ts';
import { createCode, digestOfCode } from './code.ts';
import type { AccountDeps } from './session.ts';

export type AlertSettings = {
  targets: AlertStore;
  /** True when the gateway may send requests to the address. */
  isUrlAllowed(url: URL): boolean;
  /** True with a mail server in the configuration. */
  hasMail: boolean;
  publicUrl: string;
};

type AlertDeps = AccountDeps & { alerts: AlertSettings };

/** The alerts that a person chose, and their address. */
export type AlertWish = {
  kind: AlertKind;
  address: string;
  proposals: boolean;
  mentions: boolean;
  alarms: boolean;
};

const maxAddress = 320;

/** Codes that a person can have sent in 24 hours: each goes to an address of somebody who may not want it. */
const maxCodes = 5;
const codesMs = 24 * 3_600_000;

/** Finds where a person gets alerts of a kind. */
async function findTarget(
  { alerts }: AlertDeps,
  { accountId }: Person,
  kind: AlertKind,
): Promise<AlertTarget | undefined> {
  return (await alerts.targets.ofAccount(accountId)).find((one) => one.kind === kind);
}

/**
 * Sets where a person gets alerts. A new address gets a code, and nothing else until the person has entered it.
 *
 * @returns the signing secret of a new webhook, which is not shown again.
 */
export async function setAlert(
  deps: AlertDeps,
  person: Person,
  { kind, address: typed, ...topics }: AlertWish,
): Promise<{ ok: true; secret?: string } | AccountFault> {
  const { accountId } = person;
  const { alerts, ids, clock, cipher } = deps;
  const address = typed.trim();
  const fault = findAddressFault(deps, kind, address);
  if (fault !== undefined) return { ok: false, message: fault };
  const read = await findTarget(deps, person, kind);
  const wanted = {
    ...{ proposals: topics.proposals ? 1 : 0, mentions: topics.mentions ? 1 : 0 },
    alarms: topics.alarms ? 1 : 0,
  };
  const detail = { kind, to: showTarget(kind, address), ...topics };
  if (read?.address === address && read.codeDigest === null)
    return changeAccount(deps, person, {
      action: 'set_alert',
      detail,
      writes: [alertWrites.change(read, wanted)],
    });
  if ((await alerts.targets.countCodes(accountId, clock.now() - codesMs)) >= maxCodes)
    return { ok: false, message: `You have had ${maxCodes} codes in 24 hours. Continue tomorrow.` };
  const code = createCode(ids);
  const secret =
    kind === 'webhook' ? `whsec_${Buffer.from(ids.secret(), 'base64url').toString('base64')}` : undefined;
  const message: AlertMessage = {
    ...{ type: 'alert.code', subject: 'dialtill: the code of your alerts' },
    code: cipher.encrypt(code, accountId),
    lines: [`${person.name} wants to get alerts here. Enter the code on My account, or ignore this message.`],
    url: consoleUrl(alerts.publicUrl, '/me'),
  };
  const row = {
    ...{ address, ...wanted, codeDigest: digestOfCode(code), alarmCodes: '[]', sentAt: null, problem: null },
    secret: secret === undefined ? null : cipher.encrypt(secret, accountId),
    seenSeq: await alerts.targets.lastSeq(),
    ...toQueued(message, ids.next('alt'), clock.now()),
  };
  const write = read
    ? alertWrites.change(read, row)
    : alertWrites.insert({ accountId, kind, fence: 0, ...row });
  const answer = await changeAccount(deps, person, {
    ...{ action: 'set_alert', detail: { ...detail, code: 'sent' } },
    writes: [write],
  });
  return answer.ok && secret !== undefined ? { ok: true, secret } : answer;
}

/** Returns what the audit says of an address: the host of a webhook, and a mailbox with the first letter of its name. */
function showTarget(kind: AlertKind, address: string): string {
  if (kind === 'webhook') return new URL(address).host;
  return withoutDigits(address.replace(/^(.).*@/, '$1…@'));
}

function findAddressFault({ alerts }: AlertDeps, kind: AlertKind, address: string): string | undefined {
  if (address.length > maxAddress) return `An address has at most ${maxAddress} characters.`;
  if (kind === 'mail') {
    if (!alerts.hasMail) return 'This gateway sends no e-mail: smtp is not in its configuration.';
    const isAddress = /^[\w.+-]{1,64}@(?:[\w-]{1,63}\.)+[a-z]{2,63}$/i.test(address);
    return isAddress ? undefined : `“${address}” is no address. Write one such as ama@shop.example.`;
  }
  if (!URL.canParse(address) || !alerts.isUrlAllowed(new URL(address)))
    return 'Write an address that begins with https:// and has a public host.';
  return undefined;
}

/** Proves an address with the code that was sent to it. */
export async function proveAlert(
  deps: AlertDeps,
  person: Person,
  { kind, code }: { kind: AlertKind; code: string },
): Promise<{ ok: true } | AccountFault> {
  const read = await findTarget(deps, person, kind);
  if (!read || read.codeDigest === null) return { ok: false, message: 'No address waits for a code.' };
  // 80 random bits: a comparison of digests in any time tells nothing.
  if (read.codeDigest !== digestOfCode(code))
    return { ok: false, message: 'The code is another one. Set the address again to get a new code.' };
  const seenSeq = await deps.alerts.targets.lastSeq();
  const proven = { codeDigest: null, message: null, messageId: null, nextAt: null, tries: 0, seenSeq };
  return changeAccount(deps, person, {
    ...{ action: 'prove_alert', detail: { kind } },
    writes: [alertWrites.change(read, proven)],
  });
}

/** Sends a test to a proven address. */
export async function testAlert(
  deps: AlertDeps,
  person: Person,
  kind: AlertKind,
): Promise<{ ok: true } | AccountFault> {
  const read = await findTarget(deps, person, kind);
  if (!read || read.codeDigest !== null)
    return { ok: false, message: 'Enter the code of the address first.' };
  if (read.message !== null)
    return { ok: false, message: 'A message is on its way. Wait until it has arrived.' };
  const message: AlertMessage = {
    ...{ type: 'alert.test', subject: 'dialtill: a test of your alerts' },
    ...{ lines: ['This is a test.'], url: consoleUrl(deps.alerts.publicUrl, '/me') },
  };
  const queued = toQueued(message, deps.ids.next('alt'), deps.clock.now());
  return changeAccount(deps, person, {
    ...{ action: 'test_alert', detail: { kind } },
    writes: [alertWrites.change(read, queued)],
  });
}

/** Removes an address. Nothing is sent to it any more. */
export async function removeAlert(
  deps: AlertDeps,
  person: Person,
  kind: AlertKind,
): Promise<{ ok: true } | AccountFault> {
  if (!(await findTarget(deps, person, kind))) return { ok: false, message: 'There is no such address.' };
  const { accountId } = person;
  return changeAccount(deps, person, {
    ...{ action: 'remove_alert', detail: { kind } },
    writes: [alertWrites.remove({ accountId, kind })],
  });
}
