import { BodyProgress, type BodyProgressLimits, defaultBodyProgressLimits } from '#proxy/body-progress.ts'

interface BodyTimeLimits {
  readonly progress?: BodyProgressLimits
  /** The longest that the whole body may take; unset, only its progress is bounded. */
  readonly timeoutMs?: number | undefined
}

/** The limits of a body that is read whole. */
export interface BodyLimits extends BodyTimeLimits {
  readonly maxBytes: number
}

export interface BodyDeadline {
  receive(bytes: number): void
  stop(): void
}

/** Calls `onExpire` once a body that is read from now on arrives too slowly. */
export const startBodyDeadline = (limits: BodyTimeLimits, onExpire: () => void): BodyDeadline => {
  const { progress: progressLimits = defaultBodyProgressLimits, timeoutMs = Number.POSITIVE_INFINITY } =
    limits
  const progress = new BodyProgress(progressLimits)
  const startedAt = performance.now()
  progress.resume(startedAt)

  // The timer is not moved for each piece: when it fires, it is set again for the time that is left by then.
  const expireOrWait = () => {
    const leftMs = Math.min(progress.deadline, startedAt + timeoutMs) - performance.now()
    if (leftMs > 0) timer = setTimeout(expireOrWait, Math.ceil(leftMs))
    else onExpire()
  }
  const firstMs = Math.min(progress.deadline - startedAt, timeoutMs)
  let timer = setTimeout(expireOrWait, firstMs)

  return {
    receive: (bytes) => progress.receive(bytes, performance.now()),
    stop: () => clearTimeout(timer),
  }
}
