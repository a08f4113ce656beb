import { BodyProgress, type BodyProgressLimits, defaultBodyProgressLimits } from '#proxy/body-progress.ts'
import { pausedMs } from '#shared/start-timer.ts'

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
  let dueAt = 0
  let wasPaused = false
  progress.resume(startedAt)

  const setTimer = (ms: number) => {
    dueAt = performance.now() + ms
    timer = setTimeout(expireOrWait, ms)
  }
  // Resetting the timer for every chunk would be expensive. When it fires, it is set again for the time left.
  const expireOrWait = () => {
    const now = performance.now()
    // The process was paused, and has not read what the client sent meanwhile. This counts only once, because the
    // event loop may always be late.
    if (!wasPaused && now - dueAt > pausedMs) {
      wasPaused = true
      progress.restartWait(now)
      startedAt = now
    }
    const leftMs = Math.min(progress.deadline, startedAt + timeoutMs) - now
    if (leftMs > 0) setTimer(Math.ceil(leftMs))
    else onExpire()
  }
  let timer: ReturnType<typeof setTimeout>
  setTimer(Math.min(progress.deadline - startedAt, timeoutMs))

  return {
    progress,
    receive: (bytes: number) => progress.receive(bytes, performance.now()),
    stop: () => clearTimeout(timer),
  }
}

export type BodyDeadline = ReturnType<typeof startBodyDeadline>
