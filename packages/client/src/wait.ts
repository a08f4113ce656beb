/** Rejects with the signal's reason as soon as the signal is aborted, even if the promise is still pending. */
export const abortable = <T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> => {
  if (!signal) return promise
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

// Longer timers end immediately.
const maxTimerMs = 2 ** 31 - 1

export const toTimerMs = (ms: number) => Math.min(Math.ceil(ms), maxTimerMs)

export const wait = async (ms: number, signal: AbortSignal | undefined) => {
  let timer: ReturnType<typeof setTimeout> | undefined
  try {
    await abortable(
      new Promise<void>((resolve) => {
        timer = setTimeout(resolve, toTimerMs(ms))
      }),
      signal,
    )
  } finally {
    clearTimeout(timer)
  }
}
