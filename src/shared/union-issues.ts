import type { ZodError } from 'zod';
import { isMap } from './json.ts';

type Issue = ZodError['issues'][number];

/**
 * Replaces the issue of a union by those of the only option that a list can be. A union has one message for all options, at
 * its own path, and hides which entry of a list is wrong.
 */
export function expandListIssues(issues: readonly Issue[], value: unknown): Issue[] {
  return issues.flatMap((issue) => (Array.isArray(readAt(value, issue.path)) ? expand(issue) : issue));
}

function expand(issue: Issue): Issue[] {
  if (issue.code !== 'invalid_union') return [issue];
  const [fitting, other] = issue.errors.filter((option) => !option.some(isOtherType));
  if (fitting === undefined || other !== undefined) return [issue];
  return fitting.flatMap((inner) => expand({ ...inner, path: [...issue.path, ...inner.path] } as Issue));
}

function isOtherType({ code, path }: { code: string; path: PropertyKey[] }): boolean {
  return code === 'invalid_type' && path.length === 0;
}

function readAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((found, step) => {
    if (Array.isArray(found)) return found[Number(step)];
    return isMap(found) ? found[String(step)] : undefined;
  }, value);
}
