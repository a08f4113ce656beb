/** Waits until all of `work` has ended, even if some of it fails, then throws the first error. */
export const waitForAll = async (work: readonly (Promise<unknown> | undefined)[]): Promise<void> => {
  for (const result of await Promise.allSettled(work)) if (result.status === 'rejected') throw result.reason
}
