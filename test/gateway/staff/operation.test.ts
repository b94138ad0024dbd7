import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Permission } from '../../../src/gateway/access/permissions.ts';
import { defineOperation } from '../../../src/gateway/staff/operation.ts';

test('an operation that merchants may call must say what it is about', () => {
  const define = (permission: Permission) =>
    defineOperation({
      ...{ route: 'POST /x', permission, input: z.unknown() },
      run: async (_: { clock: { now(): number } }) => ({ ok: true, value: {} }),
    });
  for (const permission of ['endpoints.write', 'payments.note'] as const)
    expect(() => define(permission)).toThrow('no subject');
  expect(define('days.close').route).toBe('POST /x');
});
