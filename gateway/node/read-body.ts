import type { IncomingMessage, ServerResponse } from 'node:http'
import { ApiError } from '#contracts/errors.ts'
import { sendContinue } from '#proxy/undici/expect-continue.ts'
import type { BodyReservation } from '../edge/body-budget.ts'
import { BodyBuffer } from '../edge/body-buffer.ts'
import { type BodyLimits, startBodyDeadline } from '../edge/body-deadline.ts'
import { ClientGoneError } from '../edge/client-gone.ts'

const noBytes = new Uint8Array(0)

/**
 * Reads a whole body, in memory of this reservation. It gives up when `outgoing` closes: Node does not close `incoming`
 * where a client ends its side inside the body and is answered for that.
 * @throws ApiError `body_too_large` by its announced length or by what arrives, `gateway_busy` where the budget of
 * bodies has no room for it, `request_timeout` where it arrives too slowly, and ClientGoneError.
 */
export const readBody = async (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  reservation: BodyReservation,
  { maxBytes, ...timeLimits }: BodyLimits,
): Promise<Uint8Array> => {
  const { 'content-length': announced } = incoming.headers
  if (Number(announced ?? 0) > maxBytes) throw new ApiError('body_too_large')
  if (incoming.complete && incoming.readableLength === 0) return noBytes
  if (incoming.destroyed || outgoing.closed) throw new ClientGoneError()
  sendContinue(incoming)
  const expected = announced === undefined ? {} : { expectedBytes: Number(announced) }
  const body = new BodyBuffer({ maxBytes, ...expected, reservation })
  return new Promise((resolve, reject) => {
    const stop = (error: unknown) => {
      forget()
      incoming.resume()
      reject(error)
    }
    const onData = (chunk: Buffer) => {
      try {
        body.append(chunk)
        deadline.receive(chunk.length)
      } catch (error) {
        stop(error)
      }
    }
    const onEnd = () => {
      try {
        resolve(body.join())
        forget()
      } catch (error) {
        stop(error)
      }
    }
    const onClose = () => stop(new ClientGoneError())
    const deadline = startBodyDeadline(timeLimits, () => stop(new ApiError('request_timeout')))
    const forget = () => {
      deadline.stop()
      incoming.off('data', onData).off('end', onEnd).off('close', onClose)
      outgoing.off('close', onClose)
    }
    incoming.on('data', onData).on('end', onEnd).on('close', onClose)
    outgoing.on('close', onClose)
  })
}
