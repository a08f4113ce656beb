import type { RatedRequests } from './compare-rates.ts'
import { type CusumParameters, observe } from './cusum.ts'
import type { AlarmStream } from './stored-observations.ts'

/**
 * The reason for an alarm. `timeouts` means that requests failed late (after 2 s or more) while nothing else was
 * served, so the code may not be at fault.
 */
export type StopCause = 'errors' | 'timeouts' | 'slowness' | 'rejections'

/** An alarm. It is void if a peer has the same problem. */
export interface Alarm {
  readonly cause: StopCause
  /** What else has the same problem: the core, other routes, the database polls, or the same route in the past. */
  readonly peer: 'core' | 'routes' | 'database' | 'past' | null
}

/** Adds observations. Returns for how many milliseconds the sum has been above the threshold; null if it is not. */
export const observeAlarm = (
  stream: AlarmStream,
  parameters: CusumParameters,
  { requests, bad }: RatedRequests,
  now: number,
): number | null => {
  if (!observe(stream.cusum, parameters, requests, bad)) {
    stream.alarmedAt = null
    return null
  }
  stream.alarmedAt ??= now
  return now - stream.alarmedAt
}

/** Discards the observations since the sum was last zero, because they do not concern native alone. */
export const discardAlarm = (stream: AlarmStream) => {
  stream.cusum.sum = 0
  stream.cusum.requests = 0
  stream.cusum.bad = 0
  stream.alarmedAt = null
}

/** Discards the stream's observations if the alarm is void. Returns the alarm. */
export const settleAlarm = (stream: AlarmStream, alarm: Alarm | null) => {
  if (alarm?.peer) discardAlarm(stream)
  return alarm
}

/**
 * Whether the next observation forces a decision even if it lowers the sum. It does if an alarm is waiting or if the
 * threshold has fallen below the sum.
 */
export const isAlarmed = ({ cusum, alarmedAt }: AlarmStream, parameters: CusumParameters | null) =>
  alarmedAt !== null || (parameters !== null && cusum.sum >= parameters.threshold)
