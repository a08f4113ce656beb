import { ApiError } from '#contracts/errors.ts'
import type { BodyReservation } from '../edge/body-budget.ts'
import { BodyBuffer } from '../edge/body-buffer.ts'
import { type BodyLimits, startBodyDeadline } from '../edge/body-deadline.ts'
import { ClientGoneError } from '../request/context.ts'

const readExpectedBytes = ({ headers }: Request) => {
  const declared = headers.get('content-length')
  return declared === null ? {} : { expectedBytes: Number(declared) }
}

export const readBody = async (
  request: Request,
  reservation: BodyReservation,
  { maxBytes, ...timeLimits }: BodyLimits,
): Promise<Uint8Array> => {
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
