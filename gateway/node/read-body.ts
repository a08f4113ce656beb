import type { IncomingMessage, ServerResponse } from 'node:http'
import { ApiError } from '#contracts/errors.ts'
import { sendContinue } from '#proxy/undici/expect-continue.ts'
import type { BodyReservation } from '../edge/body-budget.ts'
import { BodyBuffer } from '../edge/body-buffer.ts'
import { type BodyLimits, startBodyDeadline } from '../edge/body-deadline.ts'
import { ClientGoneError } from '../edge/client-gone-error.ts'

const noBytes = new Uint8Array(0)

/**
 * Reads a whole body into memory of `reservation`. Also stops when `outgoing` closes: Node does not close `incoming` when
 * the client half-closes the connection inside the body and has received an error response.
 * @throws ApiError `body_too_large` for the declared or the received length, `gateway_busy` if the body budget is
 * exhausted, `request_timeout` if the body arrives too slowly.
 * @throws ClientGoneError if the client disconnects.
 */
export const readBody = async (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  reservation: BodyReservation,
  { maxBytes, ...timeLimits }: BodyLimits,
): Promise<Uint8Array> => {
  const { 'content-length': declared } = incoming.headers
  if (Number(declared ?? 0) > maxBytes) throw new ApiError('body_too_large')
  if (incoming.complete && incoming.readableLength === 0) return noBytes
  if (incoming.destroyed || outgoing.closed) throw new ClientGoneError()
  sendContinue(incoming)
  const expected = declared === undefined ? {} : { expectedBytes: Number(declared) }
  const body = new BodyBuffer({ maxBytes, ...expected, reservation })
  return new Promise((resolve, reject) => {
    const fail = (error: unknown) => {
      removeListeners()
      incoming.resume()
      reject(error)
    }
    const onData = (chunk: Buffer) => {
      try {
        body.append(chunk)
        deadline.receive(chunk.length)
      } catch (error) {
        fail(error)
      }
    }
    const onEnd = () => {
      try {
        resolve(body.join())
        removeListeners()
      } catch (error) {
        fail(error)
      }
    }
    const onClose = () => fail(new ClientGoneError())
    const deadline = startBodyDeadline(timeLimits, () => fail(new ApiError('request_timeout')))
    const removeListeners = () => {
      deadline.stop()
      incoming.off('data', onData).off('end', onEnd).off('close', onClose)
      outgoing.off('close', onClose)
    }
    incoming.on('data', onData).on('end', onEnd).on('close', onClose)
    outgoing.on('close', onClose)
  })
}
