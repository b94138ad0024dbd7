/** Returns the CPU time of `work` in milliseconds: the least of three runs, so that other work of the machine counts little. */
export function cpuMsOf(work: () => void): number {
  return Math.min(
    ...Array.from({ length: 3 }, () => {
      const before = process.cpuUsage();
      work();
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1_000;
    }),
  );
}
