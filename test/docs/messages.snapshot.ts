import { readFileSync, writeFileSync } from 'node:fs';
import { menusFile, writtenMenus } from './messages.ts';

// Run by `npm run docs`: writes the table of messages, which menus.test.ts compares with the code.
writeFileSync(menusFile, writtenMenus(readFileSync(menusFile, 'utf8')));
