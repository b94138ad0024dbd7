/** The shortest configurable retention, in days. The audit reports dialogues that were deleted earlier. */
export const minRetentionDays = 30;
