import type { IncomingMessage, ServerResponse } from 'node:http'
import { ApiError } from '#contracts/errors.ts'
import type { BodyStart } from '#proxy/core-request.ts'
import { sendContinue } from '#proxy/node-streams/client-connection.ts'
import type { BodyReservation } from '../edge/body-budget.ts'
import { BodyBuffer } from '../edge/body-buffer.ts'
import { type BodyDeadline, type BodyLimits, startBodyDeadline } from '../edge/body-deadline.ts'
import { ClientGoneError } from '../request/context.ts'

const noBytes = new Uint8Array(0)

type OnOverflow<T> = (body: BodyBuffer, chunk: Buffer, deadline: BodyDeadline) => T

// Also stops when `outgoing` closes: if a client half-closes in the middle of the body and has received its error
// response, Node leaves `incoming` open.
const collectBody = async <T>(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  reservation: BodyReservation,
  { maxBytes, ...timeLimits }: BodyLimits,
  onOverflow: OnOverflow<T>,
): Promise<Uint8Array | T> => {
  const { 'content-length': declared } = incoming.headers
  if (Number(declared ?? 0) > maxBytes) throw new ApiError('body_too_large')
  // Node ends and destroys a request without a body before it sets `complete`.
  if ((incoming.complete || incoming.readableEnded) && incoming.readableLength === 0) return noBytes
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
    const overflow = (chunk: Buffer) => {
      const result = onOverflow(body, chunk, deadline)
      removeListeners()
      resolve(result)
    }
    const onData = (chunk: Buffer) => {
      try {
        if (!body.canHold(chunk)) return overflow(chunk)
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

export const readBody = (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  reservation: BodyReservation,
  limits: BodyLimits,
): Promise<Uint8Array> =>
  collectBody(incoming, outgoing, reservation, limits, () => {
    throw new ApiError('body_too_large')
  })

/**
 * Reads a body of unknown length into the reservation's memory, stopping once it exceeds the limit. `incoming` is then
 * paused; resume it for the rest.
 */
export const readBodyStart = (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  reservation: BodyReservation,
  limits: BodyLimits,
): Promise<Uint8Array | BodyStart> =>
  collectBody(incoming, outgoing, reservation, limits, (body, chunk, { progress }) => {
    incoming.pause()
    const now = performance.now()
    progress.receive(chunk.length, now)
    progress.pause(now)
    return { chunks: [...body.split(), chunk], progress, release: reservation.release }
  })
