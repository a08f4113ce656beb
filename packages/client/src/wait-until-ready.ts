import { ApiError } from './api-error.ts'
import type { Client } from './calls.ts'
import type { components } from './schema.ts'
import { toTimerMs, wait } from './wait.ts'

type ProcessingStatus = components['schemas']['ProcessingStatus']

/** A part of a track's processing. */
export type Lane = keyof ProcessingStatus['readiness']

export interface WaitOptions {
  /** Lanes to wait for. Defaults to `playback` and `waveform`. */
  readonly lanes?: readonly Lane[]
  /** How long to wait, including for the service's responses. Defaults to ten minutes. */
  readonly timeoutMs?: number
  readonly signal?: AbortSignal | undefined
  /** Called with every status that the client reads. */
  readonly onStatus?: (status: ProcessingStatus) => void
}

const unfinishedStates = ['pending', 'queued', 'processing', 'running']

// Lanes describe only the current version, and a newer version does not become current by itself. So the stages, which
// belong to the version processed last, are read too.
const findLaneStates = ({ readiness, stages }: ProcessingStatus, lane: Lane): readonly string[] => [
  readiness[lane].status,
  ...stages.filter((stage) => stage.lane === lane).map(({ status }) => status),
]

const requireSuccess = (status: ProcessingStatus, lanes: readonly Lane[]) => {
  const failed = lanes.filter((lane) => findLaneStates(status, lane).includes('failed'))
  if (failed.length === 0) return status
  const reasons = failed.map((lane) => {
    const stage = status.stages.find((one) => one.lane === lane)
    return `${lane} failed (${stage?.error?.message ?? 'no reason is known'})`
  })
  throw new ApiError({
    code: 'processing_failed',
    message: `processing: ${reasons.join(', ')}`,
    body: status,
  })
}

const createTimeoutError = (body?: ProcessingStatus) =>
  new ApiError({ code: 'processing_timed_out', message: 'processing: the track is not ready yet', body })

// With a shorter timeout, the caller wants to know the present status rather than to wait.
const minTimeoutMs = 1000
const firstReadMs = 30_000

const createReader = (
  client: Client,
  trackId: string,
  timeoutMs: number,
  signal: AbortSignal | undefined,
) => {
  const deadline = Date.now() + timeoutMs
  let latest: ProcessingStatus | undefined
  const findLimitMs = () => {
    if (latest) return Math.max(deadline - Date.now(), minTimeoutMs)
    return timeoutMs < minTimeoutMs ? firstReadMs : timeoutMs
  }
  return async () => {
    const timeout = AbortSignal.timeout(toTimerMs(findLimitMs()))
    try {
      latest = await client.get('/v1/tracks/{trackId}/processing-status', {
        params: { path: { trackId } },
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      })
      return latest
    } catch (error) {
      throw timeout.aborted && error === timeout.reason ? createTimeoutError(latest) : error
    }
  }
}

/**
 * Reads a track's processing status until the lanes are finished, for both the current version and the latest upload.
 * Returns that status. A lane may be `skipped` if the deployment does not offer it.
 * @throws {ApiError} `processing_failed` if a lane failed, `processing_timed_out`, or what any call throws
 */
export const waitUntilReady = async (
  client: Client,
  trackId: string,
  { lanes = ['playback', 'waveform'], timeoutMs = 600_000, signal, onStatus }: WaitOptions = {},
) => {
  const deadline = Date.now() + timeoutMs
  const readStatus = createReader(client, trackId, timeoutMs, signal)
  for (let delayMs = 250; ; delayMs = Math.min(delayMs * 1.5, 5000)) {
    const status = await readStatus()
    onStatus?.(status)
    const isFinished = lanes.every((lane) =>
      findLaneStates(status, lane).every((state) => !unfinishedStates.includes(state)),
    )
    if (isFinished) return requireSuccess(status, lanes)
    if (Date.now() + delayMs > deadline) throw createTimeoutError(status)
    await wait(delayMs, signal)
  }
}
