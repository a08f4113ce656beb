import { BodyProgress, type BodyProgressLimits, defaultBodyProgressLimits } from '#proxy/body-progress.ts'

interface BodyTimeLimits {
  readonly progress?: BodyProgressLimits
  /** Limit for the whole body. If unset, only its progress is limited. */
  readonly timeoutMs?: number | undefined
}

export interface BodyLimits extends BodyTimeLimits {
  readonly maxBytes: number
}

export const startBodyDeadline = (limits: BodyTimeLimits, onExpire: () => void) => {
  const { progress: progressLimits = defaultBodyProgressLimits, timeoutMs = Number.POSITIVE_INFINITY } =
    limits
  const progress = new BodyProgress(progressLimits)
  const startedAt = performance.now()
  progress.resume(startedAt)

  // Resetting the timer for every chunk would be expensive. When it fires, it is set again for the time left.
  const expireOrWait = () => {
    const leftMs = Math.min(progress.deadline, startedAt + timeoutMs) - performance.now()
    if (leftMs > 0) timer = setTimeout(expireOrWait, Math.ceil(leftMs))
    else onExpire()
  }
  const firstMs = Math.min(progress.deadline - startedAt, timeoutMs)
  let timer = setTimeout(expireOrWait, firstMs)

  return {
    progress,
    receive: (bytes: number) => progress.receive(bytes, performance.now()),
    stop: () => clearTimeout(timer),
  }
}

export type BodyDeadline = ReturnType<typeof startBodyDeadline>
