import { ApiError } from '#contracts/errors.ts'
import { ClientGoneError } from './read-body.ts'

const joined = (chunks: readonly Uint8Array[], length: number) => {
  const whole = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.length
  }
  return whole
}

const nextWithin = async (reader: ReadableStreamDefaultReader<Uint8Array>, stallMs: number) => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const stall = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new ApiError('request_timeout')), stallMs)
  })
  try {
    return await Promise.race([reader.read(), stall])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Reads a whole body where requests are web standards.
 * @throws ApiError `body_too_large` by its announced length or by what arrives, `request_timeout` for a pause.
 * @throws ClientGoneError where the body breaks off.
 */
export const readWebBody = async (
  request: Request,
  { maxBytes, stallMs = 30_000 }: { readonly maxBytes: number; readonly stallMs?: number },
): Promise<Uint8Array> => {
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw new ApiError('body_too_large')
  if (!request.body) return new Uint8Array(0)
  const reader = request.body.getReader()
  const chunks: Uint8Array[] = []
  let received = 0
  try {
    for (;;) {
      const { done, value } = await nextWithin(reader, stallMs)
      if (done) return joined(chunks, received)
      received += value.length
      if (received > maxBytes) throw new ApiError('body_too_large')
      chunks.push(value)
    }
  } catch (error) {
    await reader.cancel().catch(() => {})
    throw error instanceof ApiError ? error : new ClientGoneError()
  }
}
