import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import * as z from 'zod'
import { closeServer, listenOnLoopback } from '../listen.ts'
import { analyseAudio } from './analyse-audio.ts'

interface AnalyserOptions {
  readonly secret: string
  /** 0 or unset: the system chooses. */
  readonly port?: number
}

export interface Analyser {
  readonly url: string
  readonly close: () => Promise<void>
}

const SignedAnalysisRequest = z.object({
  dispatchId: z.string(),
  audioUrl: z.url(),
  contentType: z.string(),
  callbackUrl: z.url(),
})
type SignedAnalysisRequest = z.infer<typeof SignedAnalysisRequest>

const maxBodyBytes = 65_536
const toleranceS = 300

const createSignature = (secret: string, timestamp: string, body: Uint8Array) =>
  createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')

const isSigned = (secret: string, header: string | string[] | undefined, body: Uint8Array) => {
  const [, timestamp = '', signature = ''] = /^t=(\d{10}),v1=([0-9a-f]{64})$/.exec(String(header)) ?? []
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > toleranceS || signature === '') return false
  return timingSafeEqual(Buffer.from(signature), Buffer.from(createSignature(secret, timestamp, body)))
}

const readBody = async (request: IncomingMessage) => {
  const parts: Buffer[] = []
  let length = 0
  for await (const part of request) {
    parts.push(part)
    length += part.length
    if (length > maxBodyBytes) throw new Error(`the request body exceeds ${maxBodyBytes} bytes`)
  }
  return Buffer.concat(parts)
}

// The result omits lyrics, stems and embeddings, which the sandbox cannot compute.
const createResult = ({ audioUrl, contentType }: SignedAnalysisRequest) =>
  analyseAudio(audioUrl, contentType).then(
    (tags) => ({ status: 'succeeded', results: { tags } }),
    () => ({ status: 'failed', error: { code: 'not_heard', message: 'The audio could not be decoded.' } }),
  )

const sendCallback = async (
  { callbackUrl, dispatchId }: SignedAnalysisRequest,
  secret: string,
  result: object,
) => {
  const body = Buffer.from(JSON.stringify({ callbackId: randomUUID(), dispatchId, ...result }))
  const timestamp = String(Math.floor(Date.now() / 1000))
  const response = await fetch(callbackUrl, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'media-intelligence-signature': `t=${timestamp},v1=${createSignature(secret, timestamp, body)}`,
    },
    body,
  })
  await response.body?.cancel()
}

/**
 * Starts an analysis service: it accepts signed requests and sends the tempo and the key of the audio to the callback
 * URL.
 */
export const startAnalyser = async ({ secret, port = 0 }: AnalyserOptions): Promise<Analyser> => {
  const analyse = async (analysis: SignedAnalysisRequest) =>
    sendCallback(analysis, secret, await createResult(analysis))

  const handleRequest = async (request: IncomingMessage) => {
    const body = await readBody(request)
    if (!isSigned(secret, request.headers['media-intelligence-signature'], body)) return 401
    const analysis = SignedAnalysisRequest.parse(JSON.parse(body.toString()))
    // A failed callback is not reported: the requester times out.
    void analyse(analysis).catch(() => undefined)
    return 202
  }
  const server = createServer((request, response) => {
    handleRequest(request).then(
      (status) => response.writeHead(status).end(),
      () => response.writeHead(400).end(),
    )
  })
  const url = await listenOnLoopback(server, port)
  return { url, close: () => closeServer(server) }
}
