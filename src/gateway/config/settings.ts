import type { Limits } from '../collection/opening/limits.ts';
import type { DialogueSettings } from '../dialogue/dialogue.ts';
import type { RetentionSettings } from '../retention/queue.ts';
import type { Config } from './schema.ts';

/*
 * What the configuration means to the parts of the gateway: they count in milliseconds.
 */

const second = 1000;
const day = 86_400 * second;

export function dialogueSettings({ timings, limits, service, approvals }: Config): DialogueSettings {
  return {
    dialogueLifeMs: timings.dialogueLifeSeconds * second,
    repeatWindowMs: timings.repeatWindowSeconds * second,
    promptDeadlineMs: timings.promptDeadlineSeconds * second,
    recentMs: timings.recentSeconds * second,
    resumeMs: timings.resumeSeconds * second,
    duplicateWindowMs: timings.duplicateWindowSeconds * second,
    lookupMs: timings.lookupSeconds * second,
    quoteMs: timings.quoteSeconds * second,
    limits: limitsOf(limits),
    networks: service.networks,
    approvals,
  };
}

function limitsOf({ declines, ...limits }: Config['limits']): Limits {
  const { most, coolDownSeconds } = declines;
  return { ...limits, declines: { most, coolDownMs: coolDownSeconds * second } };
}

export function retentionSettings({ retention }: Config): RetentionSettings {
  const { dialoguesDays, inboxDays } = retention;
  return {
    dialoguesMs: dialoguesDays === null ? null : dialoguesDays * day,
    inboxMs: inboxDays === null ? null : inboxDays * day,
  };
}

/** Milliseconds for each operator. */
export function promptDelays({ timings }: Config): Config['timings']['promptDelaySeconds'] {
  const { mtn, telecel, at, glo, unknown } = timings.promptDelaySeconds;
  return {
    mtn: mtn * second,
    telecel: telecel * second,
    at: at * second,
    glo: glo * second,
    unknown: unknown * second,
  };
}
