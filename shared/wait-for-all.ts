export const waitForAll = async <T extends readonly unknown[] | []>(work: T) => {
  await Promise.allSettled(work)
  return Promise.all(work)
}
