/* No library: lists allocate a node for each member, and here the member is the node. */

/** A member of at most one list. */
export class ListNode {
  /** The list that has the node, and its neighbours there. Only `LinkedList` changes them. */
  list: object | undefined;
  previous: ListNode | undefined;
  next: ListNode | undefined;
}

/**
 * Members in the order in which they were added. Adding and removing one allocates nothing, so that it suits members that
 * come and go with each request. A `Set` allocates a table for every few of them, and each table that the garbage collector
 * has moved to the old generation keeps the next one alive, with everything that its members refer to.
 */
export class LinkedList<Node extends ListNode> {
  size = 0;
  first: Node | undefined;
  private last: Node | undefined;

  /** Adds a node that is in no list at the end. */
  add(node: Node): void {
    node.list = this;
    node.previous = this.last;
    if (this.last) this.last.next = node;
    else this.first = node;
    this.last = node;
    this.size++;
  }

  /** Removes a node. Does nothing when this list does not have it. */
  remove(node: Node): void {
    if (node.list !== this) return;
    const previous = node.previous as Node | undefined;
    const next = node.next as Node | undefined;
    if (previous) previous.next = next;
    else this.first = next;
    if (next) next.previous = previous;
    else this.last = previous;
    node.list = undefined;
    node.previous = undefined;
    node.next = undefined;
    this.size--;
  }

  /** Iterates over the nodes, the first one first. The current one may be removed meanwhile. */
  *[Symbol.iterator](): Generator<Node, void> {
    let node = this.first;
    while (node) {
      const next = node.next as Node | undefined;
      yield node;
      node = next;
    }
  }
}
