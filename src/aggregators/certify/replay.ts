import { fitScreen } from '../../shared/screen-text.ts';
import type { Aggregator } from '../aggregator.ts';
import type { Reading } from '../dialect.ts';
import { bodyDifferences, type Difference, differences } from './difference.ts';
import { bodyText, type Fixture } from './fixture.ts';

/** When all replies of fixtures are given. */
const repliedAt = Date.parse('2026-03-06T09:00:00.000Z');

/**
 * Plays one fixture through an aggregator's dialect: reads the request, writes the reply, and tells every field that
 * is not as the fixture has it.
 */
export function replay(fixture: Fixture, aggregator: Aggregator): Difference[] {
  const { serviceCode, request, reply, answer } = fixture;
  const settings = aggregator.settings.parse(fixture.settings ?? {});
  const dialect = aggregator.open({ serviceCode, operators: new Map(), settings });
  const { query, path } = request;
  const reading = dialect.decode({ body: bodyText(request.body), query, path });
  const text = fitScreen(reply.text, aggregator.style);
  const written = dialect.encode({ ...reply, text }, reading, repliedAt);
  return [
    ...differences('reading', fixture.reading, told(reading)),
    ...differences('answer.contentType', answer.contentType, written.contentType),
    ...bodyDifferences('answer.body', bodyText(answer.body), written.body),
  ];
}

/** A reading as fixtures write it: without the request's own fields. */
function told(reading: Reading): Record<string, unknown> {
  switch (reading.kind) {
    case 'request':
      return { kind: reading.kind, ...reading.request };
    case 'notice':
      return { kind: reading.kind, session: reading.session, ending: reading.ending };
    case 'probe':
      return { kind: reading.kind, session: reading.session };
    case 'unreadable':
      return { kind: reading.kind };
  }
}
