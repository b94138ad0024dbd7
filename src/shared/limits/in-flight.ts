/** Counts what is under way, for each key and in all, and admits no more than that. */
export class InFlight {
  private readonly byKey = new Map<string, number>();
  private total = 0;
  private readonly most: { ofEach: number; inAll: number };

  constructor(most: { ofEach: number; inAll: number }) {
    this.most = most;
  }

  /** Whether one more may begin. One that was admitted must be told to `ended`, once. */
  admit(key: string): boolean {
    const under = this.byKey.get(key) ?? 0;
    if (under >= this.most.ofEach || this.total >= this.most.inAll) return false;
    this.byKey.set(key, under + 1);
    this.total += 1;
    return true;
  }

  ended(key: string): void {
    const under = (this.byKey.get(key) ?? 1) - 1;
    if (under > 0) this.byKey.set(key, under);
    else this.byKey.delete(key);
    this.total -= 1;
  }
}
