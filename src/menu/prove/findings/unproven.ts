import type { Menu, Screen } from '../../schema.ts';
import { readAnswer } from '../../state/answer.ts';
import { maxCounts } from '../inputs/candidates.ts';
import { longestReference } from '../inputs/longest-text.ts';
import { spellsAmounts } from '../walk/uses.ts';
import type { Finding } from './finding.ts';

/** Returns a finding for each question whose longest answer, or longest amount in words, cannot be computed. */
export function findUnproven(menu: Menu): Finding[] {
  const withWords = spellsAmounts(menu);
  return Object.entries(menu.screens).flatMap(([screen, content]): Finding[] => {
    const problem = problemOf(content, withWords);
    if (problem === undefined) return [];
    const { key, message } = problem;
    return [{ kind: 'unproven', screen, message, path: ['screens', screen, key] }];
  });
}

function problemOf(screen: Screen, withWords: boolean): { key: string; message: string } | undefined {
  if (screen.kind !== 'ask') return undefined;
  if (screen.answer === 'number') {
    const { each, min, max } = screen;
    const isComputed = typeof each === 'number' ? max - min <= maxCounts : each === undefined;
    if (!withWords || isComputed) return undefined;
    const message = 'expected no amounts in words in this menu: their longest form cannot be computed';
    return { key: 'each', message };
  }
  if ((screen.answer !== 'reference' && screen.answer !== 'text') || screen.pattern === undefined)
    return undefined;
  // A pattern that accepts no input is a dead end instead.
  const isDeadEnd = !readAnswer(screen, screen.example ?? '', {}).ok;
  if (longestReference(screen.pattern) !== undefined || isDeadEnd) return undefined;
  const message =
    'expected a pattern of letters, classes, groups and counts: the longest answer to this one cannot be computed';
  return { key: 'pattern', message };
}
