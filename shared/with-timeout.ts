/**
 * Returns the result of `work`, or after `ms` milliseconds whatever `onTimeout` returns or throws. The work is not
 * cancelled; its later result is ignored.
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
