import type { Writable } from 'node:stream'

/** Resolves when a stream accepts data again or is closed. */
export const waitForDrain = (stream: Writable) =>
  new Promise<void>((resolve) => {
    const proceed = () => {
      stream.off('drain', proceed).off('close', proceed)
      resolve()
    }
    stream.on('drain', proceed).on('close', proceed)
  })
