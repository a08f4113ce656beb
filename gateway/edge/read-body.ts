import type { IncomingMessage } from 'node:http'
import { ApiError } from '#contracts/errors.ts'
import { askForBody } from '#proxy/ask-for-body.ts'

interface BodyLimits {
  readonly maxBytes: number
  /** The longest pause of the client between two pieces. */
  readonly stallMs?: number
}

/** A client hung up before its body was complete: nobody is left to be answered. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError'
}

const noBytes = new Uint8Array(0)

/**
 * Reads a whole body.
 * @throws ApiError `body_too_large` by its announced length or by what arrives, `request_timeout` for a pause, and
 * ClientGoneError.
 */
export const readBody = async (
  incoming: IncomingMessage,
  { maxBytes, stallMs = 30_000 }: BodyLimits,
): Promise<Uint8Array> => {
  if (Number(incoming.headers['content-length'] ?? 0) > maxBytes) throw new ApiError('body_too_large')
  if (incoming.complete && incoming.readableLength === 0) return noBytes
  if (incoming.destroyed) throw new ClientGoneError()
  askForBody(incoming)
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let received = 0
    const stop = (error: Error) => {
      forget()
      incoming.resume()
      reject(error)
    }
    const onData = (chunk: Buffer) => {
      received += chunk.length
      if (received > maxBytes) return stop(new ApiError('body_too_large'))
      chunks.push(chunk)
      stall.refresh()
    }
    const onEnd = () => {
      forget()
      resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, received))
    }
    const onClose = () => stop(new ClientGoneError())
    const stall = setTimeout(() => stop(new ApiError('request_timeout')), stallMs)
    const forget = () => {
      clearTimeout(stall)
      incoming.off('data', onData).off('end', onEnd).off('close', onClose)
    }
    incoming.on('data', onData).on('end', onEnd).on('close', onClose)
  })
}
