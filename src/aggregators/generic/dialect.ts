import type { Aggregator } from '../aggregator.ts';
import { createDialect } from '../description/describe.ts';
import type { Description, KindRule } from '../description/description.ts';
import { type GenericSettings, genericSettings, toContentType } from './settings.ts';

/**
 * Any other aggregator, by the `Description` in a channel's settings. Limits (`textLimit`, `lineBreak`,
 * `replyWithinSeconds`, `sequenced` …) are keys of the channel.
 */
export const generic: Aggregator = {
  name: 'generic',
  title: 'Any other, by its description',
  method: 'POST',
  style: { alphabet: 'gsm', limit: 160, lineBreak: '\n', forbidden: '' },
  replyWithinMs: 4_000,
  sequenced: false,
  promptDelayMs: 0,
  settings: genericSettings,
  createDialect(options) {
    const settings = genericSettings.parse(options.settings);
    const { ended } = settings.request;
    const description = getDescription(settings);
    const dialect = createDialect(description, options);
    if (!ended) return dialect;
    // The field of a notice can differ from the field that marks the first request, so notices are read first.
    const notices = createDialect({ ...description, kind: endKind(ended) }, options);
    return {
      ...dialect,
      decode(raw) {
        const reading = notices.decode(raw);
        return reading.kind === 'notice' ? reading : dialect.decode(raw);
      },
    };
  },
};

function getDescription({ request, reply }: GenericSettings): Description {
  const { operator, operators, first, dialled, suffix, mark, ussdRef } = request;
  const codes = Object.entries(operators).map(([code, name]) => [code.toLowerCase(), name] as const);
  return {
    session: request.session ?? [],
    numberAsSession: request.numberAsSession,
    number: request.number,
    ...(operator && { operator }),
    operators: Object.fromEntries(codes),
    input: request.input,
    cumulative: request.cumulative,
    ...(first && { kind: firstKind(first) }),
    ...(dialled && { dialled }),
    ...(suffix && { suffix }),
    ...(mark && { mark }),
    ...(ussdRef && { ussdRef }),
    reply: {
      contentType: toContentType(reply),
      echo: reply.echo,
      continue: reply.continue,
      end: reply.end,
      ...(reply.notice !== undefined && { notice: reply.notice }),
    },
  };
}

function firstKind({
  field,
  is,
  sameAs,
  needsDial,
}: NonNullable<GenericSettings['request']['first']>): KindRule {
  const flag = typeof is === 'boolean';
  return {
    field,
    first: flag ? [String(is)] : (is ?? []),
    flag,
    firstNeedsDial: needsDial,
    ...(sameAs && { firstIfSame: sameAs }),
  };
}

function endKind({ field, is, others }: NonNullable<GenericSettings['request']['ended']>): KindRule {
  return { field, first: [], ended: is ?? {}, other: others ?? (is ? 'input' : 'ended') };
}
