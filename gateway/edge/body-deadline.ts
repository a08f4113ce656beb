import { BodyProgress, type BodyProgressLimits, defaultBodyProgressLimits } from '#proxy/body-progress.ts'
import { startDeadline } from '#shared/start-timer.ts'

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
  let startedAt = performance.now()
  progress.resume(startedAt)
  const onPaused = (now: number) => {
    progress.restartWait(now)
    startedAt = now
  }
  return {
    progress,
    receive: (bytes: number) => progress.receive(bytes, performance.now()),
    stop: startDeadline(() => Math.min(progress.deadline, startedAt + timeoutMs), onPaused, onExpire),
  }
}

export type BodyDeadline = ReturnType<typeof startBodyDeadline>
