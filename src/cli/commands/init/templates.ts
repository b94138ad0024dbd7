import { fileURLToPath } from 'node:url';

/** A menu that a new project can begin with. */
export type Template = { name: string; description: string; file: string };

const menu = (name: string) =>
  fileURLToPath(new URL(`../../../../fixtures/menus/${name}.yaml`, import.meta.url));

/** The templates of `dialtill init`. None of them needs a system of the merchant. The first one is the default. */
export const templates: readonly Template[] = [
  {
    name: 'shop',
    description: 'pay any amount, for oneself or another number, or a bill',
    file: menu('shop'),
  },
  { name: 'school', description: 'fees by the number of the student', file: menu('school-simple') },
  {
    name: 'church',
    description: 'tithe, offering and funds, in three languages',
    file: menu('church-giving'),
  },
  { name: 'meter', description: 'top up a prepaid meter by its number', file: menu('meter-simple') },
  { name: 'tickets', description: 'tickets at fixed prices, for a named visitor', file: menu('tickets') },
];
