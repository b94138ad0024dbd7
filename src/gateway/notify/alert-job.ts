import type { SecretCipher } from '../../kit/secret-cipher.ts';
import type { Clock, EpochMs } from '../../shared/clock.ts';
import { errorMessage } from '../../shared/errors.ts';
import type { Ids } from '../../shared/ids.ts';
import { type Log, withoutDigits } from '../../shared/log.ts';
import { plural } from '../../shared/plural.ts';
import { roleHas } from '../access/permissions.ts';
import type { PeriodicJob } from '../worker/queue.ts';
import { type AlarmFeed, maxAlarms } from './alarm-feed.ts';
import {
  type AlertReader,
  type AlertStore,
  type AlertTarget,
  alertWrites,
  type NewsAction,
} from './alert-store.ts';
import { type SendNotification, sendTimeoutMs } from './send.ts';

/** What an alert says. It has no phone number, no amount and no name of a payer. */
export type AlertMessage = {
  type: 'alert.news' | 'alert.code' | 'alert.test';
  subject: string;
  lines: readonly string[];
  /** The page of the console to open. */
  url: string;
  /** The code that proves the address, encrypted. */
  code?: string;
};

export type MailMessage = { to: string; subject: string; text: string; id: string };

export type AlertJobDeps = {
  alerts: AlertStore;
  alarms: AlarmFeed;
  cipher: SecretCipher;
  /** Sends a signed request, as to the endpoints of merchants. */
  sendWebhook: SendNotification;
  /** Absent without a mail server in the configuration. */
  sendMail: ((message: MailMessage) => Promise<void>) | undefined;
  publicUrl: string;
  clock: Clock;
  ids: Pick<Ids, 'next'>;
  log: Log;
};

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** How often news are looked for. */
const everyMs = 15 * second;

/** An action is news after this time: a batch that has an earlier number can commit later. */
const settleMs = 5 * second;

/** Actions that are read at once. */
const maxActions = 500;

/** Messages that are sent at once. */
const maxSends = 20;

/** The lease of an attempt outlasts its time limit, that of a mail server included. */
const leaseMs = 4 * sendTimeoutMs + 5 * second;

/** The waits after failed attempts. After them, the message is given up, and the account says so. */
const waitsMs = [minute, 5 * minute, 30 * minute, 2 * hour, 6 * hour];

/** Returns the job that makes and sends alerts. The audit trail is its outbox: no batch about money has a further write. */
export function alertJob(deps: AlertJobDeps): PeriodicJob {
  return {
    name: 'alerts',
    everyMs,
    async run(now) {
      const isMore = await collectNews(deps, now);
      await sendDue(deps, now);
      return isMore ? 'more' : 'done';
    },
  };
}

/** Adds news to each target without a message on its way, and returns whether more wait. Others read them later, and delay no one. */
async function collectNews({ alerts, alarms, publicUrl, ids }: AlertJobDeps, now: EpochMs): Promise<boolean> {
  const readers = await alerts.listReaders();
  const proven = readers.filter(({ target }) => target.codeDigest === null);
  const codes = alarms.take();
  if (proven.length === 0) return false;
  const free = proven.filter(({ target }) => target.message === null);
  const from = Math.min(...free.map(({ target }) => target.seenSeq));
  const actions = free.length === 0 ? [] : await alerts.listActions(from, now - settleMs, maxActions);
  const open = await alerts.openProposals(
    actions.filter(({ action }) => action === 'propose').flatMap(({ proposal }) => proposal ?? []),
  );
  for (const reader of proven) {
    const { target } = reader;
    const { accountId, kind } = target;
    const waiting = joinAlarms(target, codes);
    const alarmCodes = JSON.stringify(waiting);
    const change = async (news: Parameters<typeof alertWrites.change>[1]) => {
      if (await alerts.apply([alertWrites.change(target, news)])) return;
      // Another writer was first. Actions are read again; alarms are not.
      const latest = (await alerts.ofAccount(accountId)).find((one) => one.kind === kind);
      if (!latest) return;
      const kept = JSON.stringify(joinAlarms(latest, codes));
      if (kept !== latest.alarmCodes) await alerts.apply([alertWrites.change(latest, { alarmCodes: kept })]);
    };
    if (target.message !== null) {
      if (alarmCodes !== target.alarmCodes) await change({ alarmCodes });
      continue;
    }
    const seen = actions.filter(({ seq }) => seq > target.seenSeq);
    const seenSeq = seen.at(-1)?.seq ?? target.seenSeq;
    const message = findNews(reader, seen, { open, alarmCodes: waiting, publicUrl });
    if (message) await change({ seenSeq, alarmCodes: '[]', ...toQueued(message, ids.next('alt'), now) });
    else if (seenSeq !== target.seenSeq) await change({ seenSeq });
  }
  return actions.length === maxActions;
}

/** Returns the codes of alarms that wait for the next message to a target, with new ones. */
function joinAlarms({ alarms, alarmCodes }: AlertTarget, codes: readonly string[]): string[] {
  const wanted = alarms === 1 ? codes : [];
  return [...new Set([...(JSON.parse(alarmCodes) as string[]), ...wanted])].slice(0, maxAlarms);
}

/** Returns the columns of a target for a message that is due now. */
export function toQueued(message: AlertMessage, messageId: string, now: EpochMs) {
  return { message: JSON.stringify(message), messageId, nextAt: now, tries: 0 };
}

/** Returns the message about what is new for a person; undefined without news. */
function findNews(
  { target, name, role }: AlertReader,
  actions: readonly NewsAction[],
  {
    open,
    alarmCodes,
    publicUrl,
  }: { open: ReadonlySet<string>; alarmCodes: readonly string[]; publicUrl: string },
): AlertMessage | undefined {
  const isWaiting = ({ action, result, actor, proposal }: NewsAction) =>
    action === 'propose' && result === 'done' && actor !== name && proposal !== null && open.has(proposal);
  const isOwn = ({ action, subjectId }: NewsAction) => action === 'mention' && subjectId === target.accountId;
  const decides = target.proposals === 1 && roleHas(role, 'proposals.decide');
  const proposals = decides ? actions.filter(isWaiting).length : 0;
  const own = actions.filter(isOwn);
  const refused = target.proposals === 1 ? own.filter(({ proposal }) => proposal !== null).length : 0;
  const mentions = target.mentions === 1 ? own.filter(({ proposal }) => proposal === null).length : 0;
  const lines = [
    ...(proposals > 0 ? [`${plural(proposals, 'proposal')} ${proposals === 1 ? 'waits' : 'wait'}.`] : []),
    ...(refused > 0
      ? [`${plural(refused, 'proposal')} of yours ${refused === 1 ? 'was' : 'were'} refused.`]
      : []),
    ...(mentions > 0 ? [`${plural(mentions, 'note')} ${mentions === 1 ? 'mentions' : 'mention'} you.`] : []),
    ...alarmCodes.map((code) => `Alarm: ${code}. docs/operations/alarms.md says what to do.`),
  ];
  const [first = ''] = lines;
  if (first === '') return undefined;
  const page = proposals > 0 ? '/proposals' : refused > 0 ? '/proposals?of=own' : mentions > 0 ? '/me' : '';
  return {
    type: 'alert.news',
    subject: `dialtill: ${first.split('. ')[0]}`,
    lines,
    url: consoleUrl(publicUrl, page),
  };
}

/** Returns the address of a page of the console. */
export function consoleUrl(publicUrl: string, page: string): string {
  return `${publicUrl.replace(/\/$/, '')}/console${page}`;
}

/** Sends the messages that are due. Each attempt is claimed before, so that two gateways do not send the same one. */
async function sendDue(deps: AlertJobDeps, now: EpochMs): Promise<void> {
  const readers = await deps.alerts.listReaders();
  const due = readers.filter(({ target: { nextAt } }) => nextAt !== null && nextAt <= now);
  await Promise.all(due.slice(0, maxSends).map(({ target }) => sendOne(deps, target, now)));
}

async function sendOne(deps: AlertJobDeps, target: AlertTarget, now: EpochMs): Promise<void> {
  const { alerts, clock, log } = deps;
  if (!(await alerts.apply([alertWrites.change(target, { nextAt: now + leaseMs })]))) return;
  const claimed = { ...target, nextAt: now + leaseMs, fence: target.fence + 1 };
  const fault = await deliver(deps, claimed);
  // Before the address is proven, the answer can be of a system that is not the person's.
  const problem = fault === undefined || target.codeDigest === null ? fault : 'not delivered';
  const tries = claimed.tries + 1;
  const wait = waitsMs[claimed.tries];
  const ended = { message: null, messageId: null, nextAt: null, tries: 0 };
  const outcome =
    problem === undefined
      ? { ...ended, sentAt: clock.now(), problem: null }
      : wait === undefined
        ? { ...ended, problem }
        : { nextAt: clock.now() + wait, tries, problem };
  await alerts.apply([alertWrites.change(claimed, outcome)]);
  if (fault !== undefined)
    log.warn(
      { account: target.accountId, kind: target.kind, tries, problem: fault },
      'an alert was not delivered',
    );
}

/** Sends a message once. Returns why it did not arrive; undefined when it did. */
async function deliver(deps: AlertJobDeps, target: AlertTarget): Promise<string | undefined> {
  const { type, subject, lines, url, ...sealed } = JSON.parse(target.message ?? '') as AlertMessage;
  const code = sealed.code && deps.cipher.decrypt(sealed.code, target.accountId);
  if (sealed.code !== undefined && code === undefined)
    return 'the code cannot be read: set the address again';
  const id = target.messageId ?? '';
  if (target.kind === 'mail') {
    if (!deps.sendMail) return 'no mail server is configured';
    const text = [...lines, ...(code === undefined ? [] : [`Code: ${code}`]), url, ''].join('\n\n');
    try {
      await deps.sendMail({ to: target.address, subject, text, id });
      return undefined;
    } catch (fault) {
      // The text of a server can contain addresses and numbers. The digits of an address are removed with it.
      return withoutDigits(
        errorMessage(fault)
          .slice(0, 1_000)
          .replaceAll(/\S+@\S+/g, '…'),
      );
    }
  }
  const secret = target.secret === null ? undefined : deps.cipher.decrypt(target.secret, target.accountId);
  if (secret === undefined) return 'the secret cannot be read: set the webhook again';
  const timestamp = new Date(deps.clock.now()).toISOString();
  const data = { text: lines.join(' '), url, ...(code !== undefined && { code }) };
  const body = JSON.stringify({ type, timestamp, data });
  const request = { eventId: id, merchantId: '', body };
  const { status, error } = await deps.sendWebhook(request, { url: target.address, secrets: [secret] });
  if (status !== null && status >= 200 && status < 300) return undefined;
  return error ?? `the answer was ${status}`;
}
