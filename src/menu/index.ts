/*
 * Menus as TypeScript programs: `import { defineMenu } from 'dialtill/menu'`.
 */
export type { LookupRequest, ProxyRequest } from './state/state.ts';
export { cedis, pesewas } from './typescript/cedis.ts';
export { defineMenu } from './typescript/define-menu.ts';
export type {
  Answer,
  Cedis,
  Condition,
  Find,
  Found,
  MenuDefinition,
  ProxyAnswer,
  Screen,
  Take,
  Text,
} from './typescript/definition.ts';
export {
  ask,
  choose,
  confirm,
  each,
  end,
  lookup,
  option,
  proxy,
  requests,
  status,
  when,
} from './typescript/screens.ts';
