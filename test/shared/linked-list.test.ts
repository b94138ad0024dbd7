import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LinkedList, ListNode } from '../../src/shared/linked-list.ts';

class Numbered extends ListNode {
  readonly number: number;

  constructor(number: number) {
    super();
    this.number = number;
  }
}

const numbersIn = (list: LinkedList<Numbered>) => Array.from(list, ({ number }) => number);

test('a list keeps the order of a set, whatever is added and removed', () => {
  const changes = fc.array(fc.record({ number: fc.nat(8), isAdded: fc.boolean() }));
  fc.assert(
    fc.property(changes, (all) => {
      const nodes = Array.from({ length: 9 }, (_, number) => new Numbered(number));
      const list = new LinkedList<Numbered>();
      const expected = new Set<number>();
      for (const { number, isAdded } of all) {
        const node = nodes[number];
        if (node === undefined) continue;
        if (isAdded && !expected.has(number)) list.add(node);
        if (!isAdded) list.remove(node);
        if (isAdded) expected.add(number);
        else expected.delete(number);
        expect(numbersIn(list)).toEqual([...expected]);
        expect(list.size).toBe(expected.size);
        expect(list.first?.number).toBe([...expected][0]);
      }
    }),
  );
});

test('a node that is removed refers to no other node, so that it keeps none of them in memory', () => {
  const list = new LinkedList<Numbered>();
  const [first, second, third] = [new Numbered(1), new Numbered(2), new Numbered(3)];
  for (const node of [first, second, third]) list.add(node);
  list.remove(second);
  expect(second).toMatchObject({ list: undefined, previous: undefined, next: undefined });
  expect(numbersIn(list)).toEqual([1, 3]);
});

test('the current node of a loop can be removed, and no node of another list is', () => {
  const list = new LinkedList<Numbered>();
  const other = new LinkedList<Numbered>();
  const foreign = new Numbered(9);
  other.add(foreign);
  list.add(new Numbered(1));
  list.add(new Numbered(2));
  list.remove(foreign);
  for (const node of list) list.remove(node);
  expect([list.size, other.size, other.first]).toEqual([0, 1, foreign]);
});
