import { ApiError } from '#contracts/errors.ts'
import type { BodyStart } from '#proxy/core-request.ts'
import type { BodyReservation } from '../edge/body-budget.ts'
import { BodyBuffer } from '../edge/body-buffer.ts'
import { type BodyDeadline, type BodyLimits, startBodyDeadline } from '../edge/body-deadline.ts'
import { ClientGoneError } from '../request/context.ts'

const readExpectedBytes = ({ headers }: Request) => {
  const declared = headers.get('content-length')
  return declared === null ? {} : { expectedBytes: Number(declared) }
}

type OnOverflow<T> = (body: BodyBuffer, chunk: Uint8Array, deadline: BodyDeadline) => T

const collectBody = async <T>(
  request: Request,
  reservation: BodyReservation,
  { maxBytes, ...timeLimits }: BodyLimits,
  onOverflow: OnOverflow<T>,
): Promise<Uint8Array | T> => {
  const expected = readExpectedBytes(request)
  if ((expected.expectedBytes ?? 0) > maxBytes) throw new ApiError('body_too_large')
  const body = new BodyBuffer({ maxBytes, ...expected, reservation })
  if (!request.body) return body.join()
  const reader = request.body.getReader()
  let rejectRead: (error: ApiError) => void = () => {}
  const readOrExpire = () =>
    new Promise<Awaited<ReturnType<typeof reader.read>>>((resolve, reject) => {
      rejectRead = reject
      reader.read().then(resolve, reject)
    })
  const deadline = startBodyDeadline(timeLimits, () => rejectRead(new ApiError('request_timeout')))
  try {
    for (;;) {
      const { done, value } = await readOrExpire()
      if (done) return body.join()
      if (!body.canHold(value)) {
        const result = onOverflow(body, value, deadline)
        reader.releaseLock()
        return result
      }
      body.append(value)
      deadline.receive(value.length)
    }
  } catch (error) {
    await reader.cancel().catch(() => {})
    throw error instanceof ApiError ? error : new ClientGoneError()
  } finally {
    deadline.stop()
  }
}

export const readBody = (
  request: Request,
  reservation: BodyReservation,
  limits: BodyLimits,
): Promise<Uint8Array> =>
  collectBody(request, reservation, limits, () => {
    throw new ApiError('body_too_large')
  })

/**
 * Reads a body of unknown length into the reservation's memory, stopping once it exceeds the limit. The rest can then be
 * read from the request.
 */
export const readBodyStart = (
  request: Request,
  reservation: BodyReservation,
  limits: BodyLimits,
): Promise<Uint8Array | BodyStart> =>
  collectBody(request, reservation, limits, (body, chunk, { progress }) => {
    const now = performance.now()
    progress.receive(chunk.length, now)
    progress.pause(now)
    return { chunks: [...body.split(), chunk], progress, release: reservation.release }
  })
