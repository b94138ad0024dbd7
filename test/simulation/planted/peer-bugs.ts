import type { Bug } from './bugs.ts';

/** Bugs in the service. The simulation finds them with `--peer service`. */
export const peerBugs: readonly Bug[] = [
  {
    name: 'unreported results are not reported again',
    rule: 'service money',
    find: 'await Promise.all(unreported.map(report));',
    replace: '',
  },
  {
    name: 'the end of a session with a lost push sends no event',
    rule: 'service events',
    find: "session.status === 'initiated' ? await",
    replace: "session.status === 'initiated' && reason !== 'no_result' ? await",
  },
  {
    name: 'sessions end before their prompts do',
    rule: 'service money',
    find: 'const expiresAt = now + deps.longStopMs;',
    replace: 'const expiresAt = now + 5 * pushTimeoutMs;',
  },
  {
    name: 'a session expires before the long stop',
    rule: 'service money',
    find: 'const expiresAt = now + deps.longStopMs;',
    replace: 'const expiresAt = inquireAt;',
  },
  {
    name: 'an inquiry without a result ends the session',
    rule: 'service money',
    find: "case 'pending':\n        return;",
    replace:
      "case 'pending':\n        await deps.close(id, { transition: 'expire', reason: 'no_result', at: clock.now() });\n        return;",
  },
  {
    name: 'sessions expire before the rail is queried',
    rule: 'service money',
    find: 'const railDue = await selectRail(livemode)?.round();',
    replace: 'await expire(livemode); const railDue = await selectRail(livemode)?.round();',
  },
  {
    name: 'sessions expire while the rail is unreachable',
    rule: 'service money',
    find: 'const railDue = await selectRail(livemode)?.round();',
    replace: 'const railDue = await selectRail(livemode)?.round().catch(() => clock.now() + 1_000);',
  },
  {
    name: 'a push without a response is repeated',
    rule: 'service idempotency',
    find: "return { kind: 'unknown' };",
    replace: 'return rail.push(request, AbortSignal.timeout(pushTimeoutMs));',
  },
  {
    name: 'a repeated initiate pushes again',
    rule: 'service idempotency',
    find: "if (session?.status !== 'created') return stateError(session);",
    replace:
      "if (session?.status === 'initiated') await deps.selectRail(session.livemode)?.push({ sessionId: session.id, livemode: session.livemode, merchantName: '', payer: session.payer, network: session.network, amountMinor: session.amountMinor }, AbortSignal.timeout(pushTimeoutMs));\n    if (session?.status !== 'created') return stateError(session);",
  },
  {
    name: 'the response to a create is not stored under its key',
    rule: 'service idempotency',
    find: 'sessions.insert(row), ...otpWrites, ...savedResponse.save(created)',
    replace: 'sessions.insert(row), ...otpWrites',
  },
  {
    name: 'the response to a create is stored after its effect',
    rule: 'service idempotency',
    find: 'if (!(await store.apply([sessions.insert(row), ...otpWrites, ...savedResponse.save(created)]))) {',
    replace:
      'if (!(await store.apply([sessions.insert(row), ...otpWrites])) || !(await store.apply(savedResponse.save(created)))) {',
  },
  {
    name: 'an event is written after the change that it reports',
    rule: 'service events',
    find: '...(event ? [event.write] : []),\n        ...extraWrites,\n      ]);',
    replace:
      '...extraWrites,\n      ]);\n      if ((await batch) && event) await deps.store.apply([event.write]);',
  },
  {
    name: 'a failed delivery is not retried',
    rule: 'service events',
    file: 'src/service/webhook/attempt.ts',
    find: 'const waitMs = plan.retryDelaysMs[plan.tries - 1];',
    replace: 'const waitMs = plan.retryDelaysMs[plan.tries + plan.retryDelaysMs.length];',
  },
  {
    name: 'any response of an endpoint counts as delivered',
    rule: 'service events',
    file: 'src/service/webhook/attempt.ts',
    find: 'return status !== null && status >= 200 && status < 300;',
    replace: 'return status !== null;',
  },
  {
    name: 'webhooks are signed with another secret',
    rule: 'service signatures',
    file: 'src/service/webhook/send.ts',
    find: "createHmac('sha256', secret)",
    replace: "createHmac('sha256', secret.slice('whsec_'.length))",
  },
  {
    name: 'the minimum fee is not charged',
    rule: 'service quotes',
    find: 'Math.max(share + fixedMinor, floorMinor)',
    replace: 'Math.max(share + fixedMinor, 0)',
  },
  {
    name: 'a payment of another amount counts as paid',
    rule: 'service money',
    find: 'session.heldAt === null && paidMinor === session.amountMinor;',
    replace: 'session.heldAt === null && paidMinor > 0;',
  },
  {
    name: 'late money is ignored',
    rule: 'service money',
    find: 'if (isApplied(session, earlier, charge)) return false;',
    replace: "if (session.status === 'expired' || isApplied(session, earlier, charge)) return false;",
  },
  {
    name: 'reject releases the money',
    rule: 'service money',
    find: "...(resolution === 'accepted'",
    replace: '...(resolution.length > 0',
  },
  {
    name: 'the gateway releases money that the service rejected',
    rule: 'service decisions',
    find: "const outcome = status === 'paid' ? 'accept' : 'returned';",
    replace: "const outcome = status === undefined ? 'returned' : 'accept';",
  },
  {
    name: 'accept books the quote instead of what arrived',
    rule: 'service events',
    find: "{ transition: 'pay' as const, reason: null, paidMinor, paidAt }",
    replace: "{ transition: 'pay' as const, reason: null, paidAt }",
  },
  {
    name: 'the long stop ignores the late approval',
    rule: 'service money',
    find: 'if (isApplied(session, earlier, charge)) return false;',
    replace: "if (session.reason === 'no_result' || isApplied(session, earlier, charge)) return false;",
  },
  {
    name: 'the settlement of a refund sends no event',
    rule: 'service events',
    find: '[write, event.write, ...more]',
    replace: '[write, ...more]',
  },
  {
    name: 'a repeated result counts as a second charge',
    rule: 'service money',
    find: 'return session.paidAt === paidAt && session.amountMinor === paidMinor && !paidByReview;',
    replace: 'return session.paidAt === paidAt && session.amountMinor < paidMinor && !paidByReview;',
  },
  {
    name: 'an initiated session is returned as final',
    rule: 'service responses',
    find: 'const terminal = isTerminal(session.status);',
    replace: "const terminal = session.status !== 'created';",
  },
  {
    name: "a session id contains the payer's number",
    rule: 'service responses',
    find: "id: ids.next('pay'),",
    replace: "id: 'pay_'.concat(asked.msisdn),",
  },
  {
    name: "another merchant's session is returned",
    rule: 'service responses',
    find: "eq(session.id, placeholder('id')),\n        eq(session.merchantId, placeholder('merchantId')),",
    replace: "eq(session.id, placeholder('id')),",
  },
];
