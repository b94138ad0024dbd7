import { bugsByRule } from '../../kit/plant.ts';

/** Bugs in the service. The simulation finds them with `--peer service`. */
export const peerBugs = bugsByRule({
  'service money': {
    'unreported results are not reported again': '[-await Promise.all(unreported.map(report));-]',
    'sessions end before their prompts do':
      'const expiresAt = now + [-deps.longStopMs-]{+5 * pushTimeoutMs+};',
    'a session expires before the long stop': 'const expiresAt = [-now + deps.longStopMs-]{+inquireAt+};',
    'an inquiry without a result ends the session':
      "case 'pending':\n        {+await deps.close(id, { transition: 'expire', reason: 'no_result', at: clock.now() });\n        +}return;",
    'sessions expire before the rail is queried':
      '{+await expire(livemode); +}const railDue = await selectRail(livemode)?.round();',
    'sessions expire while the rail is unreachable':
      'const railDue = await selectRail(livemode)?.round(){+.catch(() => clock.now() + 1_000)+};',
    'a payment of another amount counts as paid':
      'session.heldAt === null && paidMinor [-=== session.amountMinor-]{+> 0+};',
    'late money is ignored':
      "if ({+session.status === 'expired' || +}isApplied(session, earlier, charge)) return false;",
    'reject releases the money': "...(resolution[- === 'accepted'-]{+.length > 0+}",
    'the long stop ignores the late approval':
      "if ({+session.reason === 'no_result' || +}isApplied(session, earlier, charge)) return false;",
    'a repeated result counts as a second charge':
      'return session.paidAt === paidAt && session.amountMinor [-===-]{+<+} paidMinor && !paidByReview;',
  },
  'service events': {
    'the end of a session with a lost push sends no event':
      "session.status === 'initiated' {+&& reason !== 'no_result' +}? await",
    'an event is written after the change that it reports':
      '...[-(event ? [event.write] : []),\n        ...extraWrites,\n      -]{+extraWrites,\n      ]);\n      if ((await batch) && event) await deps.store.apply([event.write+}]);',
    'a failed delivery is not retried': [
      'src/service/webhook/attempt.ts',
      'const waitMs = plan.retryDelaysMs[plan.tries [-- 1-]{++ plan.retryDelaysMs.length+}];',
    ],
    'any response of an endpoint counts as delivered': [
      'src/service/webhook/attempt.ts',
      'return status !== null[- && status >= 200 && status < 300-];',
    ],
    'accept books the quote instead of what arrived':
      "{ transition: 'pay' as const, reason: null, [-paidMinor, -]paidAt }",
    'the settlement of a refund sends no event': '[write, [-event.write, -]...more]',
  },
  'service idempotency': {
    'a push without a response is repeated':
      "return [-{ kind: 'unknown' }-]{+rail.push(request, AbortSignal.timeout(pushTimeoutMs))+};",
    'a repeated initiate pushes again':
      "if (session?.status {+=== 'initiated') await deps.selectRail(session.livemode)?.push({ sessionId: session.id, livemode: session.livemode, merchantName: '', payer: session.payer, network: session.network, amountMinor: session.amountMinor }, AbortSignal.timeout(pushTimeoutMs));\n    if (session?.status +}!== 'created') return stateError(session);",
    'the response to a create is not stored under its key':
      'sessions.insert(row), ...otpWrites[-, ...savedResponse.save(created)-]',
    'the response to a create is stored after its effect':
      'if (!(await store.apply([sessions.insert(row), ...otpWrites[-, ...savedResponse.save(created)]-]{+])) || !(await store.apply(savedResponse.save(created)+}))) {',
  },
  'service signatures': {
    'webhooks are signed with another secret': [
      'src/service/webhook/attempt.ts',
      "createHmac('sha256', secret{+.slice('whsec_'.length)+})",
    ],
  },
  'service quotes': {
    'the minimum fee is not charged': 'Math.max(share + fixedMinor, [-floorMinor-]{+0+})',
  },
  'service decisions': {
    'the gateway releases money that the service rejected':
      "const outcome = status === [-'paid' ? 'accept' : 'returned-]{+undefined ? 'returned' : 'accept+}';",
  },
  'service responses': {
    'an initiated session is returned as final':
      "const terminal = [-isTerminal(-]session.status[-)-]{+ !== 'created'+};",
    "a session id contains the payer's number": "id: [-ids.next('pay'-]{+'pay_'.concat(asked.msisdn+}),",
    "another merchant's session is returned": "findRow(sessionTable, 'id', [-'merchantId', -]'livemode')",
  },
});
