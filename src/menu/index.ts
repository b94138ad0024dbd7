/*
 * Menus as TypeScript programs: `import { defineMenu } from 'dialtill/menu'`.
 */
export type { LookupRequest, ProxyRequest } from './state/state.ts';
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
  cedis,
  choose,
  confirm,
  defineMenu,
  each,
  end,
  lookup,
  option,
  pesewas,
  proxy,
  requests,
  status,
  when,
} from './typescript/screens.ts';
