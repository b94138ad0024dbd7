import { z } from '@hono/zod-openapi';
import { testClock } from '../../contract/admin.ts';
import { type ApiError, isApiError } from '../api-error.ts';
import { operation } from '../http/operation.ts';
import { jsonResponse } from '../http/response.ts';
import type { Router } from '../http/router.ts';
import { isoTime } from '../http/time.ts';
import { type ClockReading, maxAdvanceMs, type Sandbox } from './advance.ts';

const tag = 'Sandbox';

const readClock = operation({
  method: 'get',
  path: '/backoffice/clock',
  id: 'getClock',
  tag,
  summary: 'Read the test clock',
  description: 'Returns the time in the sandbox, and how far it is ahead of the system clock.',
  access: 'admin',
  success: { status: 200, description: 'The time in the sandbox.', schema: testClock },
  errors: ['test_clock_off'],
});

const advance = operation({
  method: 'post',
  path: '/backoffice/clock/advance',
  id: 'advanceClock',
  tag,
  summary: 'Advance the test clock',
  description:
    'Everything that becomes due happens at its own time and in its order. Returns when it is done, so that a poll ' +
    'right after shows the outcome. Only a sandbox has a test clock.',
  access: 'admin',
  body: z
    .strictObject({
      ms: z
        .int()
        .min(1)
        .max(maxAdvanceMs)
        .meta({ description: 'Milliseconds, 30 days at most.', example: 600_000 }),
    })
    .meta({ id: 'ClockAdvance' }),
  examples: { 'ten minutes': { ms: 600_000 } },
  idempotency: 'honoured',
  auditSubject: ({ ms }) => [`${ms} ms`],
  success: { status: 200, description: 'The new time.', schema: testClock },
  errors: ['test_clock_off'],
});

/** Serves the test clock. */
export function sandboxRoutes(router: Router, sandbox: Sandbox): void {
  router.admin(readClock, async () => toResponse(sandbox.readClock()));
  router.admin(advance, async ({ body: { ms } }) => toResponse(await sandbox.advance(ms)));
}

function toResponse(outcome: ClockReading | ApiError) {
  if (isApiError(outcome)) return outcome;
  return jsonResponse(200, { now: isoTime(outcome.now), advanced_ms: outcome.advancedMs });
}
