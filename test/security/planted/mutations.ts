import { authentication } from './authentication.ts';
import { authorization } from './authorization.ts';
import { codeAndLogs } from './code-and-logs.ts';
import { configurationAndData } from './configuration-and-data.ts';
import { encodingAndValidation } from './encoding-and-validation.ts';
import type { Mutation } from './mutation.ts';
import { weaknesses } from './weaknesses.ts';
import { webAndApi } from './web-and-api.ts';

/** Every protection of docs/security.md that is removed, one at a time. */
export const mutations: readonly Mutation[] = [
  ...encodingAndValidation,
  ...webAndApi,
  ...authentication,
  ...authorization,
  ...configurationAndData,
  ...codeAndLogs,
  ...weaknesses,
];
