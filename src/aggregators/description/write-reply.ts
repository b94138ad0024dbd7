import type { EpochMs } from '../../shared/clock.ts';
import type { UssdReply } from '../../shared/ussd.ts';
import type { Reading, WireReply } from '../dialect.ts';
import type { ReplyTemplates } from './description.ts';
import { type Template, writeTemplate } from './template.ts';

/** Writes one reply by its template. */
export function writeReply(
  templates: ReplyTemplates,
  reply: UssdReply,
  reading: Reading,
  at: EpochMs,
): WireReply {
  const { contentType, echo = false } = templates;
  const { fields } = reading;
  const values = { fields, text: reply.text, at: new Date(at).toISOString(), isXml: isXml(contentType) };
  return { contentType, body: writeTemplate(templateFor(templates, reply, reading), values, echo) };
}

/** Whether a reply is XML, by its content type: `text/xml`, `application/xml`, `application/soap+xml`. */
export function isXml(contentType: string): boolean {
  return /[/+]xml\b/.test(contentType);
}

function templateFor(templates: ReplyTemplates, reply: UssdReply, { kind }: Reading): Template {
  if (kind === 'notice') return templates.notice ?? templates.end;
  if (kind === 'probe' && templates.probe) {
    return reply.kind === 'continue' ? templates.probe.alive : templates.probe.over;
  }
  return templates[reply.kind];
}
