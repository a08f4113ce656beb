/** Waits until all of `work` has ended, even if some of it fails. Returns the results, or throws the first error. */
export const waitForAll = async <T extends readonly unknown[] | []>(work: T) => {
  await Promise.allSettled(work)
  return Promise.all(work)
}
