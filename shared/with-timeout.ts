/**
 * Returns the result of `work`. If that takes longer than `ms` milliseconds, returns or throws what `onTimeout` does.
 * The work is not cancelled; its later result is ignored.
 */
export const withTimeout = <T, F>(ms: number, work: PromiseLike<T>, onTimeout: () => F): Promise<T | F> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      try {
        resolve(onTimeout())
      } catch (error) {
        reject(error)
      }
    }, ms)
    work.then(
      (value) => {
        clearTimeout(timer)
        resolve(value)
      },
      (error) => {
        clearTimeout(timer)
        reject(error)
      },
    )
  })
